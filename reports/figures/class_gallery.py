"""The figure of a report on many classes."""

from typing import TYPE_CHECKING

from maxmargin.reports.figures.canvas import Picture
from maxmargin.reports.figures.class_pictures import MOST_CLASSES, alt_classes, plot_classes
from maxmargin.reports.study.class_study import ClassStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictures(study: ClassStudy) -> tuple[Picture, ...]:
    """Return the figures of the study."""
    n_shown = min(len(study.dataset.classes), MOST_CLASSES)
    cut = f" The first {MOST_CLASSES} classes are drawn." if len(study.dataset.classes) > MOST_CLASSES else ""

    def draw(figure: "Figure") -> None:
        plot_classes(study, figure.add_subplot())

    picture = Picture(
        key="classes",
        title="Which classes can be told apart by a hyperplane",
        caption="Each class against the rest (first column) and against each other class. Discs grow with the "
        f"logarithm of the maximum margin.{cut}",
        alt=alt_classes(study),
        size=(7.2, 1.3 + 0.55 * n_shown),
        draw=draw,
    )
    return (picture,)
