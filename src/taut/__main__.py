"""`python -m taut` is the same as `taut`."""

from taut.cli import main

if __name__ == "__main__":
    main()
