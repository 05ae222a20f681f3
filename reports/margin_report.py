"""The margin report: the perceptron next to the proven maximum margin, as one page."""

import copy
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from maxmargin.text.progress import run_shown, shows_progress

if TYPE_CHECKING:
    import numpy as np

    from maxmargin.data.dataset import Dataset
    from maxmargin.reports.captioned.captioned_display import CaptionedDisplay
    from maxmargin.reports.document import Document
    from maxmargin.reports.pages.classes_page import ClassesPage
    from maxmargin.reports.pages.margin_page import MarginPage
    from maxmargin.reports.study.class_study import ClassStudy
    from maxmargin.reports.study.report_settings import ReportSettings
    from maxmargin.reports.study.two_class_study import TwoClassStudy
    from maxmargin.solvers.perceptron.settings import RunProgress


# Suffix of the file of the data beside a page that cannot hold them.
DATA_SUFFIX = ".f64"


@dataclass(frozen=True, eq=False)
class MarginReport:
    """A report on a data set, which can be written in several forms; its figures are drawn when they are needed.

    Parameters
    ----------
    study : TwoClassStudy or ClassStudy
        The results, as `maxmargin.margin_report` computes them.

    Attributes
    ----------
    study : TwoClassStudy or ClassStudy
        The results themselves: of a question about two classes, or of every class and every pair.

    See Also
    --------
    maxmargin.margin_report : Make a report.

    Examples
    --------
    >>> import maxmargin as mm
    >>> report = mm.margin_report(mm.from_arrays([[10.0], [12.0]], ["no", "yes"]), Cs=[1.0])
    >>> report.to_dict()["perceptron"]["n_mistakes"]
    233
    """

    study: "TwoClassStudy | ClassStudy"

    def to_dict(self) -> dict[str, Any]:
        """Return the report as dicts, lists, texts, booleans, None and finite numbers.

        A number that is not finite is None, with its name under ``<key>_text``. A list of more than 1,000 entries is
        cut to these, with its length under ``<key>_count``.
        """
        return copy.deepcopy(self._summary)

    def to_json(self) -> str:
        """Return `to_dict` as JSON; its numbers read back as they are."""
        from maxmargin.reports.document import json_text

        return json_text(self._summary)

    def to_markdown(self) -> str:
        """Return the report as Markdown, without figures."""
        return self._document.markdown()

    def _linked_markdown(self, target: Path, figures: Path) -> str:
        """Return the report as Markdown for this file, with links to the figures that are in a folder."""
        there = [picture for picture in self.pictures if (figures / f"{picture.key}.svg").exists()]
        folder = Path(os.path.relpath(figures, target.parent)).as_posix()
        return self._document.markdown(appendix=there, folder=folder)

    def to_html(self) -> str:
        """Return the report as one HTML page with its figures, light and dark, that loads nothing."""
        return self._page.html()

    def to_terminal(self, *, width: int = 80) -> str:
        """Return the answer and the key numbers as plain text."""
        return self._document.terminal(width=width)

    def summary(self) -> str:
        """Return the answer and the key numbers as plain text, as every result does."""
        return self.to_terminal()

    def save(self, path: str | os.PathLike[str], *, figures: str | os.PathLike[str] | None = None) -> Path:
        """Write the report; the suffix says how.

        Of data that are too large for a page, the page checks its proof when it is given the file NAME.f64, which is
        written beside it: its SHA-256 is the one that the proof states.

        Parameters
        ----------
        path : path
            Ends in .html, .md or .json.
        figures : path, optional
            A folder to which `save_figures` wrote: Markdown links to the figures that are there.

        Raises
        ------
        InvalidOptionError
            A ValueError, for any other suffix; nothing is written.
        """
        from maxmargin.reports.document import save_page

        to_markdown = self.to_markdown
        if figures is not None:
            to_markdown = partial(self._linked_markdown, Path(path), Path(figures))
        target = save_page(path, self.to_html, to_markdown, self.to_json)
        if target.suffix.lower() == ".html":
            self._save_data_beside(target)
        return target

    def _save_data_beside(self, page: Path) -> None:
        """Write the data that a page needs to check its proof and cannot hold, into a file beside it."""
        from maxmargin.text.outputs import replacing

        parts = self._page.data_file()
        if parts is not None:
            with replacing(page.with_suffix(DATA_SUFFIX)) as file:
                file.writelines(parts)

    def save_figures(self, folder: str | os.PathLike[str], *, names: "Iterable[str] | None" = None) -> list[Path]:
        """Write figures as SVG, PDF and PNG into a folder, made if there is none; return the paths.

        Parameters
        ----------
        folder : path
            Where to write.
        names : iterable of str, optional
            The keys of the figures, such as "projection". By default every figure is written.

        Raises
        ------
        InvalidOptionError
            A ValueError, if the report has no figure of this name; nothing is written.
        """
        from maxmargin.reports.captioned.captioned_display import save
        from maxmargin.solvers.errors import InvalidOptionError

        by_key = {picture.key: picture for picture in self.pictures}
        wanted = [*by_key] if names is None else [*dict.fromkeys([names] if isinstance(names, str) else names)]
        for name in wanted:
            if name not in by_key:
                why = self.figures_left_out.get(name, f"expected some of {', '.join(by_key)}")
                raise InvalidOptionError(f"names has {name!r}, which is no figure of this report; {why}")
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        return [path for key in wanted for path in save(by_key[key], target)]

    def _repr_html_(self) -> str:
        """Return the answer and the key numbers as a small card for notebooks; `save` writes the page."""
        return self._document.card("MarginReport", "the page: report.save('report.html')")

    def __repr__(self) -> str:
        return f"<MarginReport {' '.join(self._document.headline)}>"

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: the study; figures hold functions, and are drawn again."""
        return {"study": self.study}

    @cached_property
    def pictures(self) -> "tuple[CaptionedDisplay, ...]":
        """The figures, with their captions and alternative texts."""
        from maxmargin.reports.captioned.study_displays import captioned_displays

        return captioned_displays(self.study)

    @cached_property
    def figures_left_out(self) -> dict[str, str]:
        """The keys of the figures that cannot hold the numbers of the data, each with a sentence that says so."""
        from maxmargin.reports.captioned.study_displays import left_out

        return left_out(self.study)

    @property
    def _sections(self) -> Any:
        from maxmargin.reports.sections import many_classes, two_classes

        return two_classes if self.study.dataset.is_binary else many_classes

    @cached_property
    def _summary(self) -> dict[str, Any]:
        return dict(self._sections.summarize(self.study))

    @cached_property
    def _page(self) -> "MarginPage | ClassesPage":
        from maxmargin.reports.pages.classes_page import ClassesPage
        from maxmargin.reports.pages.margin_page import MarginPage
        from maxmargin.reports.study.two_class_study import TwoClassStudy

        if isinstance(self.study, TwoClassStudy):
            return MarginPage(self.study, self._summary, self._document)
        return ClassesPage(self.study.problem, self._summary, self._document)

    @cached_property
    def _document(self) -> "Document":
        document: Document = self._sections.document(self._summary)
        return document


@shows_progress(run_shown, "perceptron")
def margin_report(
    X: Any,
    y: Any = None,
    *,
    bias: bool | None = None,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    zero: str = "mistake",
    order: str = "cyclic",
    rng: "np.random.Generator | int | None" = 0,
    max_epochs: int | None = None,
    max_mistakes: int | None = 1_000_000,
    prepare: str = "raw",
    Cs: Iterable[float] | None = None,
    orders: int | None = None,
    time_limit: float | None = None,
    title: str = "",
    note: str = "",
    date: str = "",
    verbose: bool = False,
    on_progress: "Callable[[RunProgress], None] | None" = None,
) -> MarginReport:
    """Report on a data set: the perceptron beside the proven maximum margin.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        The data. For more than two classes without a positive one, the report is a table of every class against the
        rest and of every pair, and the answer for all classes at once. Rows outside memory are read in passes, for two
        classes, cyclic order and raw features only.
    y : array_like of shape (n_samples,), or str, optional
        The labels, the name of their column or a formula, as in `maxmargin.separability`; None for a Dataset.
    bias : bool, optional
        If False, only hyperplanes through the origin are considered. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.
    bias_scale : float or "best", default 1.0
        The constant coordinate s that carries the perceptron's bias, as in `maxmargin.perceptron`.
    zero : {"mistake", "positive", "negative"}, default "mistake"
        What a score y w.x of exactly 0 counts as: always as a mistake, or as a prediction of +1 or of -1.
    order : {"cyclic", "shuffled-once", "reshuffled-each-epoch", "random"}, default "cyclic"
        The order of presentation.
    rng : numpy.random.Generator or int, default 0
        The generator, or a seed, of the orders that are random.
    max_epochs : int or None, default None
        Largest number of epochs of every run. None is no limit, except for rows outside memory that are not separable,
        where it is 20.
    max_mistakes : int or None, default 1_000_000
        Largest number of mistakes of every run; None is no limit.
    prepare : {"raw", "center", "standardize", "unit"}, default "raw"
        How the features are prepared first, as in `maxmargin.prepare`; the whole report is about the prepared features.
    Cs : iterable of float, optional
        The values of C of the soft margin. By default they are nine powers of ten that suit the data.
    orders : int, optional
        The number of random orders of the rows that are run as well, as in `maxmargin.order_study`; 0 means none. By
        default it is the number that takes about half a second, up to 1,000.
    time_limit : float, optional
        Seconds for all computations. Results that are not found by then are left out, and the report says so. Drawing
        the figures takes additional time. There is no limit by default.
    title : str, default ""
        The name of the report, in place of "Margin report".
    note : str, default ""
        A sentence or two below the answer.
    date : str, default ""
        A date in any form, which is printed as it is. By default there is none, so that the same input gives the same
        page.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.
    on_progress : callable, optional
        A function that is called with a `RunProgress` about ten times a second while a perceptron runs.

    Returns
    -------
    MarginReport
        The report, which can be saved as HTML, Markdown or JSON.

    Raises
    ------
    InvalidProblemError
        If the data are not finite numbers with at least two classes.
    InvalidOptionError
        If an option has a value that it does not take.

    See Also
    --------
    maxmargin.hard_margin : Find the maximum margin alone.
    maxmargin.perceptron : Run the perceptron alone.

    Examples
    --------
    >>> import maxmargin as mm
    >>> X, y = [[10.0], [40.0], [60.0], [90.0]], ["low", "low", "high", "high"]
    >>> mm.margin_report(X, y, Cs=[1.0]).to_dict()["hard_margin"]["margin"]
    10.0
    """
    from maxmargin.api.question import Question
    from maxmargin.api.running import seed_of
    from maxmargin.reports.study.report_settings import ReportSettings

    question = Question.of(X, y, bias=bias, positive=positive, time_limit=time_limit)
    settings = ReportSettings(
        bias=question.bias, bias_scale=bias_scale, zero=zero, order=order, seed=seed_of(rng), max_epochs=max_epochs,
        max_mistakes=max_mistakes, prepare=prepare, Cs=None if Cs is None else tuple(map(float, Cs)),
        orders=orders, time_limit=question.limits.time_limit, started=question.limits.started, title=title, note=note,
        date=date,
    )  # fmt: skip
    return report_with(question.dataset, settings, on_progress=on_progress)


def report_with(
    dataset: "Dataset", settings: "ReportSettings", *, on_progress: "Callable[[RunProgress], None] | None" = None
) -> MarginReport:
    """Return the report of a data set with these settings, which include sizes and solvers."""
    from maxmargin.reports.study.class_study import study_classes
    from maxmargin.reports.study.two_class_parts import study_two_classes

    run = study_two_classes if dataset.is_binary else study_classes
    return MarginReport(run(dataset, settings, on_progress=on_progress))
