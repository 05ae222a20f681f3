"""``maxmargin trust``: every installed solver on one data set."""

from typing import TYPE_CHECKING

from maxmargin.cli.feedback import Exit, cleaned_up_at_sigterm
from maxmargin.cli.request import Request
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.progress import progress_shown

if TYPE_CHECKING:
    from maxmargin.comparison.run_study import Stage


def trust(request: Request, *, time_limit: float, jobs: int, methods: tuple[str, ...]) -> Exit:
    """Ask the solvers, print the report, return the exit code."""
    from maxmargin.comparison.audit.trust_audit import trust as ask

    if not request.bias:
        raise InvalidOptionError("--no-bias: the solvers are asked for hyperplanes with a bias")

    def text(_: float, stage: "Stage") -> str:
        return f"{stage.what}: {stage.n_done} of {stage.n_due}"

    with cleaned_up_at_sigterm(), progress_shown(text, quiet=request.quiet) as line:
        report = ask(request.dataset, time_limit=time_limit, jobs=jobs, methods=methods or None, on_progress=line)
    request.answer("trust", report.to_dict, report.summary)
    return Exit.INVALID if report.false_claims else Exit.OK
