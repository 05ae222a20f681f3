"""The verbs of research comparisons: one runs a study and writes its report, one asks all solvers about the data."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from maxmargin.comparison.audit.trust_audit import audited
from maxmargin.comparison.carry_out import Progress
from maxmargin.comparison.comparison import Comparison
from maxmargin.comparison.jobs.study_progress import stage_text
from maxmargin.comparison.run_study import run_study
from maxmargin.reports.comparisons.research_report import comparison_report
from maxmargin.reports.trust_report import TrustReport
from maxmargin.text.progress import progress_shown, shows_progress


def compare(
    study: "str | os.PathLike[str] | Mapping[str, Any]",
    *,
    out: "str | os.PathLike[str] | None" = None,
    jobs: int = 1,
    shard: "str | tuple[int, int] | None" = None,
    cluster: str | None = None,
    merge: "Iterable[str | os.PathLike[str]]" = (),
    time_limit: float | None = None,
    verbose: bool = False,
) -> Comparison:
    """Run methods on data sets in several orders, and judge every answer by proof.

    Every cell, one run of a method, has its own limits of time and memory in a process of its own, and is written to
    ``out/cells.sqlite`` when it ends: a study that was stopped, even killed, goes on where it stopped. Cells that ran
    into a limit run again if the limit is raised.

    Parameters
    ----------
    study : path or mapping
        A TOML file, or a mapping with the same keys; lists are grids. ``schema = 1``; tables ``[[data]]`` with
        ``source`` and, optionally, ``positive``, ``features`` and the arguments of `load`; tables ``[[method]]`` with
        ``name`` and parameters; and, optionally, ``title``, ``seeds``, ``orders`` (source, random, reversed, sorted),
        ``prepare``, ``folds``, ``limit`` (seconds, memory), ``tolerance`` (relative distance from the optimum up to
        which the claim to have reached it is true; 0.001 by default) and ``plugins`` (Python files).
    out : path, optional
        The folder of the records and of the report with its performance profiles [1]_ (HTML, Markdown, JSON, LaTeX,
        CSV, Parquet, figures). By default nothing is kept on disk.
    jobs : int, default 1
        Number of cells that run at the same time. Ratios of times are given for 1 only.
    shard : str or (int, int), optional
        Run only the I-th of N parts of the cells: "I/N".
    cluster : str, optional
        The address of a Dask scheduler on whose workers the cells run.
    merge : iterable of path, default ()
        Folders of other comparisons, whose records are taken over.
    time_limit : float, optional
        Seconds after which no more cells begin; those that have begun end by their own limits, and the same call goes
        on with the others if there is a folder. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    Comparison
        ``records``, one dict for each cell: what it was (``cell data data_sha256 n_samples n_features prepare features
        method version params order seed fold``), how it ended (``status``: ok, timeout, memory, crashed, error, invalid
        or not_installed; ``message exit_code``), what the method claims and whether that is true (``claim
        claim_true``), what is proven (``verdict gamma_lower gamma_upper radius``), what its hyperplane is worth (``w b
        margin share n_errors held_out_errors objective objective_lower objective_upper suboptimality``, and
        ``objective_of``: C, intercept and the value of the dual that the method reached), what it did (``n_mistakes
        n_updates bounds capped``), and what it took (``seconds times_ours passes peak_mib jobs``).

    Raises
    ------
    DataError
        If the study or its data cannot be read; the message names the line.
    InvalidOptionError
        If an option has a value that it does not take, or pebble is not installed (``pip install pebble``).

    See Also
    --------
    trust : Ask every installed solver about one data set.

    Notes
    -----
    The processes are spawned, so a script that calls this needs the guard ``if __name__ == "__main__":``.

    References
    ----------
    .. [1] E. D. Dolan and J. J. More, "Benchmarking optimization software with performance profiles", Mathematical
       Programming 91 (2002), 201-213.

    Examples
    --------
    >>> study = {
    ...     "schema": 1,
    ...     "data": [{"source": "agresti"}],
    ...     "method": [{"name": ["perceptron", "hard-margin"]}],
    ... }
    >>> comparison = compare(study)
    >>> [(record["method"], record["n_mistakes"], record["claim_true"]) for record in comparison.records]
    [('perceptron', 1701, True), ('hard-margin', None, True)]
    """
    with progress_shown(stage_text, quiet=not verbose) as line:
        comparison = run_study(
            study,
            out=out,
            jobs=jobs,
            shard=shard,
            cluster=cluster,
            merge=merge,
            time_limit=time_limit,
            on_progress=line,
        )
    if out is not None:
        comparison_report(comparison).save(out)
    return comparison


@shows_progress(progress_shown, stage_text)
def trust(
    X: Any,
    y: Any = None,
    *,
    positive: object = None,
    time_limit: float = 10.0,
    verbose: bool = False,
    jobs: int = 1,
    methods: Iterable[str] | None = None,
    total_time_limit: float | None = None,
    gaps: bool = False,
    on_progress: Progress | None = None,
) -> TrustReport:
    """Ask every installed solver about the data, and compare what it claims with what is proven.

    The solvers are those of cvxpy on the hard-margin program, on the linear program of separability and on the nearest
    points of the hulls; the classifiers of scikit-learn; logistic regressions with their convergence flags; the
    tolerance tests of other packages; z3. Each runs in a process of its own, under a limit.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        A data set of two classes, or its features.
    y : array_like of shape (n_samples,), or str, optional
        The labels, the name of their column or a formula, as in `maxmargin.separability`; None for a Dataset.
    positive : label, optional
        The label that is +1, against all others.
    time_limit : float, default 10.0
        Seconds for each solver.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.
    jobs : int, default 1
        Number of solvers that run at the same time.
    methods : iterable of str, optional
        Names of the solvers to ask, as in a study of `compare`; by default all that are installed.
    total_time_limit : float, optional
        Seconds for the whole. Solvers that are not asked by then have the status "not_run".
    gaps : bool, default False
        Whether every solver is also asked about 20 generated data sets, which are separable, or overlap, by a known
        gap 2^-k.
    on_progress : callable, optional
        Called after every answer.

    Returns
    -------
    TrustReport
        What they claim and whether that is true; `save` writes it as a page, as Markdown or as JSON.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes in memory.
    InvalidOptionError
        If there is no such method, or a number makes no sense.

    See Also
    --------
    compare : Run chosen methods on many data sets.

    Notes
    -----
    The processes are spawned, so a script that calls this needs the guard ``if __name__ == "__main__":``.

    References
    ----------
    .. [1] K. Konis, "Linear programming algorithms for detecting separated data in binary logistic regression models",
       DPhil thesis, University of Oxford, 2007.

    Examples
    --------
    >>> import maxmargin as mm
    >>> report = trust(mm.load("agresti"), methods=["hard-margin", "cvxpy.max-t.SCIPY"], gaps=True)
    >>> [(entry["method"], entry["claim"], entry["claim_true"]) for entry in report.solvers]
    [('hard-margin', 'maximum margin', True), ('cvxpy.max-t.SCIPY', 'separable', True)]
    >>> report.gaps[1]["separable_down_to"] < report.gaps[0]["separable_down_to"]
    True
    """
    fields = audited(
        X, y, positive=positive, time_limit=time_limit, jobs=jobs, methods=methods, total_time_limit=total_time_limit,
        gaps=gaps, on_progress=on_progress,
    )  # fmt: skip
    return TrustReport(**fields)
