"""Print every benchmark's table. Sizes up to 1e5 members; `python -m benchmarks 1000000` goes further."""

import sys

from benchmarks import scale, six_strut_against_c, statics_scale, tbar_against_scipy

if __name__ == "__main__":
    print(tbar_against_scipy.table(tbar_against_scipy.measure()), end="\n\n")
    if six_strut_against_c.InC.available:
        print(six_strut_against_c.table(six_strut_against_c.measure()), end="\n\n")
    largest = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
    sizes = [10**n for n in range(3, 9) if 10**n <= largest]
    print(scale.table([scale.measure(kind, size) for kind in scale.KINDS for size in sizes]), end="\n\n")
    print(statics_scale.table(statics_scale.measured(largest)))
