"""How the time of the maximum margin grows with the rows and with the columns, on natural and on planted data.

1,000 to 10,000,000 rows of 20 columns, and 5 to 1,000 columns of 20,000 rows, made as those of the benchmark natural.

Called as a script, it draws what was measured at full size as docs/pictures/growth.svg. A slope p, of time ~ size^p, is
fitted to the larger half of the sizes: the times of the others are mostly those of a call.

Examples:
  python benchmarks/run.py growth --scale 0.01 -o growth.json
  python benchmarks/growth.py growth.json -o growth.svg
"""

import argparse
import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from hard_margin import accuracy, judge, one_pass, ours
from measuring import Benchmark, Facts, Peer
from natural import WARM_ROWS, make, n_rows

RESULT = Path(__file__).parent / "results" / "growth.json"
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "growth.svg"

N_ROWS, N_COLUMNS = 20_000, 20
ROWS = [(n, N_COLUMNS) for n in (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)]
COLUMNS = [(N_ROWS, d) for d in (5, 10, 20, 50, 100, 200, 500, 1000)]

MARGINS = {"natural": 0.0, "planted": 0.05}
OURS, PASS = "maxmargin", "one pass X @ w"
# The kind of data and the peer of each curve, and the name by which the picture calls it.
CURVES = (("natural", OURS, "natural"), ("planted", OURS, "planted, margin 0.05"), ("natural", PASS, PASS))


def name(shape: tuple[int, int], kind: str) -> str:
    return f"{shape[0]:,} x {shape[1]}, {kind}"


@dataclass(frozen=True)
class Curve:
    name: str
    sizes: list[int]
    seconds: list[float]

    @property
    def label(self) -> str:
        """The name, with the slope where enough sizes were measured."""
        half = len(self.sizes) // 2
        if half < 2:
            return self.name
        return f"{self.name}: slope {np.polyfit(np.log(self.sizes[half:]), np.log(self.seconds[half:]), 1)[0]:.1f}"


def curves(report: Facts, axis: int) -> list[Curve]:
    """Return the times over the rows (axis 0) or the columns (axis 1), without the cells that failed."""
    seconds = {(cell["data"], cell["peer"]): cell["seconds"] for cell in report["cells"] if cell["seconds"]}
    found = []
    for kind, peer, title in CURVES:
        shapes = [shape for shape in (ROWS, COLUMNS)[axis] if (name(shape, kind), peer) in seconds]
        sizes = [(n_rows(shape, report["scale"]), shape[1])[axis] for shape in shapes]
        found.append(Curve(title, sizes, [seconds[name(shape, kind), peer] for shape in shapes]))
    return found


def markdown(report: Facts) -> str:
    """Return the picture for a page of docs/, with the slopes in words."""
    rows, columns = ("; ".join(curve.label for curve in curves(report, axis)) for axis in (0, 1))
    alt = f"Time of the proven maximum margin over the number of rows ({rows}) and of columns ({columns})"
    return f"![{alt}](pictures/{PICTURE.name})"


def draw(report: Facts, path: Path) -> None:
    """Draw one panel below the other, so that phones show them as well, on white, so that dark pages do."""
    from matplotlib import style
    from matplotlib.figure import Figure

    from maxmargin.displays.drawing import MAXIMUM, NEGATIVE, POSITIVE, log_scale, thin_grid
    from maxmargin.reports.captioned.captioned_display import STYLE

    with style.context([STYLE, {"svg.fonttype": "path", "svg.hashsalt": path.stem}]):
        figure = Figure(figsize=(4.8, 7.0), layout="constrained", facecolor="white")
        held = (f"rows, of {N_COLUMNS} columns", f"columns, of {round(report['scale'] * N_ROWS):,} rows")
        for axis, ax in enumerate(figure.subplots(2, 1)):
            for curve, colour, line in zip(curves(report, axis), (POSITIVE, NEGATIVE, MAXIMUM), "os^", strict=True):
                ax.plot(curve.sizes, curve.seconds, f"{line}-", color=colour, label=curve.label, markersize=4)
            log_scale(ax, "x")
            log_scale(ax, "y")
            thin_grid(ax)
            ax.set(xlabel=f"number of {held[axis]}", ylabel="seconds")
            ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.01))
        figure.savefig(path, metadata={"Date": None})


SHAPES = {name(shape, kind): (shape, margin) for kind, margin in MARGINS.items() for shape in (*ROWS, *COLUMNS)}

BENCHMARK = Benchmark(
    file=__file__,
    data={data: partial(make, shape, margin) for data, (shape, margin) in SHAPES.items()},
    peers={
        PASS: Peer(solve=one_pass, is_judged=False, on=tuple(data for data in SHAPES if data.endswith("natural"))),
        OURS: Peer(
            solve=ours,
            seconds={data: 0.01 + n * d**2 / 1e9 for data, ((n, d), _) in SHAPES.items()},
            warm_scale={data: WARM_ROWS / n for data, ((n, _), _) in SHAPES.items()},
        ),
    },
    ours=OURS,
    units=(PASS,),
    judge=judge,
    accuracy=accuracy,
    columns={"claims": "claims"},
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "report", type=Path, nargs="?", default=RESULT, help="what run.py wrote (default: at full size)"
    )
    parser.add_argument("-o", "--output", type=Path, default=PICTURE, help="the SVG file (default: that of the docs)")
    options = parser.parse_args()
    if options.report.exists():
        draw(json.loads(options.report.read_text()), options.output)
    else:
        print(f"{options.report.name} was not measured, so it is not drawn")


if __name__ == "__main__":
    main()
