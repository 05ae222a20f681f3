"""What the benchmarks are to show, as ratios of one run, next to what was measured."""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

Facts = dict[str, Any]


@dataclass(frozen=True)
class Goal:
    """A bound for a fact of some cells; the cell that is farthest from it counts."""

    what: str
    benchmark: str
    data: str
    peer: str
    """The names of the cells; * stands for anything, | for or."""
    fact: str
    at_most: float | None = None
    at_least: float | None = None

    def row(self, reports: list[Facts]) -> list[str]:
        wanted = f"<= {self.at_most:g}" if self.at_most is not None else f">= {self.at_least:g}"
        cells = list(self.cells(reports))
        return [self.what, wanted, self._measured(cells) if cells else "not measured"]

    def cells(self, reports: list[Facts]) -> Iterator[Facts]:
        """Yield the cells that it is about and that were tried at full size."""
        for report in reports:
            if report["benchmark"] == self.benchmark and report["scale"] == 1:
                for cell in report["cells"]:
                    if self.is_about(cell["data"], cell["peer"]) and cell["status"] != "not installed":
                        yield cell

    def is_about(self, data: str, peer: str) -> bool:
        return _fits(data, self.data) and _fits(peer, self.peer)

    def _measured(self, cells: list[Facts]) -> str:
        """Return what was measured, bold where that is not what was wanted.

        Of a peer that ran into the limit a ratio of times is a lower bound. One that fails otherwise, or never gets as
        near as asked, has no time; of ours that is a failure.
        """
        if self.at_most is not None and any(cell["status"] != "ok" or cell.get(self.fact) is None for cell in cells):
            return "**failed**"
        valid = [cell for cell in cells if cell["status"] != "inaccurate" and cell.get(self.fact) is not None]
        if not valid:
            return "no peer gets there"
        value, is_bound = self._worst([(float(cell[self.fact]), cell["status"] != "ok") for cell in valid])
        text = f"{'>= ' if is_bound else ''}{_number(value)}"
        return text if self._is_reached(value) else f"**{text}**"

    def _worst(self, values: list[tuple[float, bool]]) -> tuple[float, bool]:
        return max(values) if self.at_most is not None else min(values)

    def _is_reached(self, value: float) -> bool:
        return value <= self.at_most if self.at_most is not None else value >= (self.at_least or 0.0)


def _fits(name: str, patterns: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns.split("|"))


def _number(value: float) -> str:
    if abs(value) < 1e-16:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2g}"


OURS, INTERIOR_POINT = "maxmargin", "maxmargin, interior-point"

HARD = (
    Goal("100k x 50: proven relative gap", "hard_margin", "100k x 50", OURS, "accuracy", 1e-12),
    *(
        Goal(f"100k x 50: time of {peer}, in ours", "hard_margin", "100k x 50", peer, "times_ours", at_least=ratio)
        for peer, ratio in (
            ("cvxpy, default solver", 100),
            ("LIBSVM, C = 1e8, tol = 1e-6", 100),
            ("cvxpy, DAQP", 20),
            ("cvxpy, PIQP", 20),
            ("PIQP, dense, called directly", 8),
        )
    ),
    Goal("1M x 50: time in passes `X @ w`", "hard_margin", "1M x 50", OURS, "times_unit", 15),
    Goal("200k x 200: time in passes `X @ w`", "hard_margin", "200k x 200", OURS, "times_unit", 100),
    Goal("100k x 500: proven relative gap", "hard_margin", "100k x 500", OURS, "accuracy", 1e-9),
)

NATURAL = (
    Goal(
        "1M x 5, 1M x 20, 1M x 50, 2M x 20: time in passes `X @ w`", "natural", "?M x *0|1M x 5", OURS, "times_unit", 20
    ),
    *(
        Goal(f"{data}: seconds", "natural", data, OURS, "seconds", most)
        for data, most in (("200k x 100", 0.5), ("200k x 200", 1.2), ("20k x 500", 3), ("100k x 500", 9))
    ),
    Goal("all: proven relative gap", "natural", "*", OURS, "accuracy", 1e-12),
    Goal("all: passes over all rows", "natural", "*", OURS, "n_passes", 8),
    *(
        Goal(f"{data}, planted: time in passes `X @ w`", "natural", f"{data}, planted", OURS, "times_unit", most)
        for data, most in (("1M x 50", 8), ("200k x 200", 45), ("100k x 500", 300))
    ),
)

FREE_BIAS = "cvxpy, *|LIBSVM, gap *"
GRAM, SYRK = "weighted Gram, (X * d[:, None]).T @ X", "weighted Gram, dsyrk"

SOFT = (
    Goal("20k x 20 and 100k x 50: proven relative gap", "soft_margin", "20k x 20|100k x 50", OURS, "accuracy", 1e-9),
    Goal(
        "20k x 20: time of LIBSVM, tol = 1e-4", "soft_margin", "20k x 20", "LIBSVM, tol = 1e-4", "times_ours", None, 50
    ),
    Goal(
        "100k x 50: the interior point, in its weighted Grams",
        "soft_margin",
        "100k x 50",
        INTERIOR_POINT,
        f"times_own_units, {GRAM}",
        3,
    ),
    Goal(
        "100k x 50: the interior point, in as many dsyrk",
        "soft_margin",
        "100k x 50",
        INTERIOR_POINT,
        f"times_own_units, {SYRK}",
        3,
    ),
    Goal("100k x 50: time of LIBLINEAR, gap 1e-6", "soft_margin", "100k x 50", "LIBLINEAR", "times_ours", None, 8),
    Goal("100k x 50: time of any peer, gap 1e-9", "soft_margin", "100k x 50", FREE_BIAS, "times_ours", None, 100),
    Goal("1M x 50: MiB beyond the data", "soft_margin", "1M x 50", OURS, "extra_mib", 1536),
)

VERDICTS = (
    *(
        Goal(f"{data}: time in passes `X @ w`", "verdicts", data, OURS, "times_unit", n_passes)
        for data, n_passes in (
            ("1M x 50, separable", 6),
            ("1M x 50, 10 rows overlap", 60),
            ("1M x 50, quasi, 100 rows apart", 100),
        )
    ),
    Goal("small files: the process, in that of numpy", "small", "[!0-9]*", "maxmargin margin", "times_unit", 5),
    *(
        Goal(f"{d} columns, exact: seconds", "small", f"{d} columns", "exact margin, in Python", "seconds", seconds)
        for d, seconds in ((30, 0.2), (100, 5.0), (200, 60.0))
    ),
)

SMALL, EPOCH = "[!12]*", "1M x 50, 100 epochs"

PERCEPTRON = (
    Goal("real data: time of the textbook loop, in ours", "perceptron", SMALL, "textbook*", "times_ours", at_least=4),
    Goal("real data: time of scikit-learn, in ours", "perceptron", SMALL, "scikit-learn", "times_ours", at_least=20),
    Goal("1M x 50: time of an epoch, in `X @ w`", "perceptron", EPOCH, OURS, "times_unit", 1.5),
    Goal("many orders: time on one of two cores, in ours", "perceptron", "*orders*", "*core", "times_ours", None, 1.8),
)

OUT_OF_CORE = (
    Goal("20M x 20, margin: in readings of the file", "out_of_core", "*", "maxmargin margin", "times_unit", 10),
    Goal("20M x 20, check: in readings of the file", "out_of_core", "*", "maxmargin check", "times_unit", 10),
    Goal("20M x 20, both: peak MiB of the process", "out_of_core", "*", "maxmargin *", "peak_mib", 1536),
    Goal(
        "20M x 20, Dask: the interval differs by", "out_of_core", "*", "Dask, 2 workers, hard_margin", "accuracy", 1e-12
    ),
)

SPARSE = (
    Goal("20k x 100k, C = 1: proven relative gap", "wide", "*, C = 1", OURS, "accuracy", 1e-6),
    Goal("20k x 100k, C = 1: time of LIBLINEAR, gap 1e-6", "wide", "*, C = 1", "LIBLINEAR", "times_ours", None, 1),
    Goal("hard margins: proven relative gap", "wide", "hard*", OURS, "accuracy", 1e-9),
    Goal("hard margins: time of LIBLINEAR, gap 1e-6", "wide", "hard*", "LIBLINEAR, C = 1e6", "times_ours", None, 1),
)

REAL = (
    Goal("margin, every engine: relative width", "engines", "*, hard", "*", "accuracy", 1e-9),
    Goal("soft margin, every engine: relative width", "engines", "*, soft", "*", "accuracy", 1e-9),
)

SECTIONS = {
    "Hard margin": HARD,
    "Hard margin, natural data": NATURAL,
    "Soft margin": SOFT,
    "Verdicts and small data": VERDICTS,
    "Perceptron": PERCEPTRON,
    "Out of core": OUT_OF_CORE,
    "Sparse data": SPARSE,
    "Raw breast_cancer, wine, digits": REAL,
}


def goals(reports: list[Facts]) -> str:
    """Return the goals as a Markdown table; those that were missed are bold."""
    lines = ["| question | wanted | measured |", "|---|---:|---:|"]
    for title, section in SECTIONS.items():
        lines.append(f"| *{title}* | | |")
        lines += [f"| {' | '.join(goal.row(reports))} |" for goal in section]
    return "\n".join(lines)
