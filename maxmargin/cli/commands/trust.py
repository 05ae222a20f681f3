"""``maxmargin trust``: every installed solver on one data set."""

from maxmargin.cli.feedback import Exit, cleaned_up_at_sigterm
from maxmargin.cli.request import Request
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.progress import progress_shown


def trust(request: Request, *, time_limit: float, jobs: int, methods: tuple[str, ...]) -> Exit:
    """Ask the solvers, print the report, return the exit code."""
    from maxmargin.comparison.audit.trust_audit import trust as ask
    from maxmargin.comparison.run_study import stage_text

    if not request.bias:
        raise InvalidOptionError("--no-bias: the solvers are asked for hyperplanes with a bias")

    with cleaned_up_at_sigterm(), progress_shown(stage_text, quiet=request.quiet) as line:
        report = ask(request.dataset, time_limit=time_limit, jobs=jobs, methods=methods or None, on_progress=line)
    request.answer("trust", report.to_dict, report.summary)
    return Exit.INVALID if report.false_claims else Exit.OK
