"""`python -m taut.cli` is the same as `python -m taut`."""

from taut.cli import main

if __name__ == "__main__":
    main()
