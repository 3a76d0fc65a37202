"""Print every benchmark's table."""

from benchmarks import tbar_against_scipy

if __name__ == "__main__":
    print(tbar_against_scipy.table(tbar_against_scipy.measure()))
