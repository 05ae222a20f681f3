"""Runs all benchmarks, or those named, after saying about how long that takes; it goes on where it stopped.

Examples:
  python benchmarks/run.py --list                         what is to be done, and how long each cell takes
  python benchmarks/run.py --scale 0.01 --limit 20        a first look, at a hundredth of the size
  python benchmarks/run.py hard_margin --data '1M*'       one benchmark, one data set
  python benchmarks/run.py --fresh --peer maxmargin       ours again, against the peers of the last run
"""

from importlib import import_module

from harness import Benchmark
from harness.command import parser, prepare_folder, run

NAMES = ("small", "margins", "engines", "hard_margin", "verdicts", "perceptron", "sparse", "out_of_core", "soft_margin")


def benchmark(name: str) -> Benchmark:
    found: Benchmark = import_module(name).BENCHMARK
    return found


def main() -> None:
    options_of = parser(__doc__ or "")
    options_of.add_argument("names", nargs="*", metavar="BENCHMARK", help=f"of {', '.join(NAMES)} (default: all)")
    options = options_of.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        options_of.error(f"unknown benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    if options.output:
        options_of.error("-o is for a single benchmark: python benchmarks/NAME.py -o FILE")
    prepare_folder(options)
    run([benchmark(name) for name in options.names or NAMES], options)


if __name__ == "__main__":
    main()
