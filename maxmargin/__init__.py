"""maxmargin puts the perceptron next to exact answers, and proves every answer.

Public names are loaded on first use, so that ``import maxmargin`` costs little.
"""

from importlib import import_module

from maxmargin.text.version import __version__ as __version__

TYPE_CHECKING = False  # not imported: loading `typing` takes long enough for a Ctrl-C to arrive in it

if TYPE_CHECKING:
    from typing import Any

    from maxmargin.api.deciding import separability
    from maxmargin.api.error_verbs import fewest_errors, least_total_slack
    from maxmargin.api.margin_verbs import hard_margin, nu_margin, soft_margin, soft_margin_path
    from maxmargin.api.online_runs import online, online_algorithms
    from maxmargin.api.running import perceptron
    from maxmargin.certificates.proofs import verify
    from maxmargin.certificates.require import SeparationError, require
    from maxmargin.data import features as features
    from maxmargin.data.arrays import from_arrays
    from maxmargin.data.dataset import Dataset, load
    from maxmargin.data.generators import generate
    from maxmargin.data.preparing import prepare
    from maxmargin.reports.margin_report import MarginReport, margin_report
    from maxmargin.solvers.answers.statuses import Status, Verdict
    from maxmargin.solvers.errors import InvalidProblemError
    from maxmargin.solvers.fewest_errors.fewest_solution import FewestErrors
    from maxmargin.solvers.fewest_errors.total_slack import TotalSlack
    from maxmargin.solvers.hard_margin.hard_solution import HardMargin
    from maxmargin.solvers.online.algorithm import OnlineRun
    from maxmargin.solvers.online.catalogue import OnlineAlgorithm
    from maxmargin.solvers.online.guarantee import Guarantee
    from maxmargin.solvers.perceptron.result import PerceptronRun
    from maxmargin.solvers.proof.checker import CertificateError
    from maxmargin.solvers.separability.separability_solution import Separability
    from maxmargin.solvers.soft_margin.soft_solution import NuMargin, SoftMargin
    from maxmargin.text.data_error import DataError
    from maxmargin.theory.mistake_traces import MistakeTrace, mistake_trace
    from maxmargin.theory.order_studies import OrderStudy, order_study
    from maxmargin.theory.perceptron_bounds import Bound, mistake_bounds

_HOMES = {
    "Bound": "maxmargin.theory.perceptron_bounds",
    "CertificateError": "maxmargin.solvers.proof.checker",
    "DataError": "maxmargin.text.data_error",
    "Dataset": "maxmargin.data.dataset",
    "FewestErrors": "maxmargin.solvers.fewest_errors.fewest_solution",
    "Guarantee": "maxmargin.solvers.online.guarantee",
    "HardMargin": "maxmargin.solvers.hard_margin.hard_solution",
    "InvalidProblemError": "maxmargin.solvers.errors",
    "MarginReport": "maxmargin.reports.margin_report",
    "MistakeTrace": "maxmargin.theory.mistake_traces",
    "NuMargin": "maxmargin.solvers.soft_margin.soft_solution",
    "OnlineAlgorithm": "maxmargin.solvers.online.catalogue",
    "OnlineRun": "maxmargin.solvers.online.algorithm",
    "OrderStudy": "maxmargin.theory.order_studies",
    "PerceptronRun": "maxmargin.solvers.perceptron.result",
    "Separability": "maxmargin.solvers.separability.separability_solution",
    "SeparationError": "maxmargin.certificates.require",
    "SoftMargin": "maxmargin.solvers.soft_margin.soft_solution",
    "Status": "maxmargin.solvers.answers.statuses",
    "TotalSlack": "maxmargin.solvers.fewest_errors.total_slack",
    "Verdict": "maxmargin.solvers.answers.statuses",
    "fewest_errors": "maxmargin.api.error_verbs",
    "from_arrays": "maxmargin.data.arrays",
    "generate": "maxmargin.data.generators",
    "hard_margin": "maxmargin.api.margin_verbs",
    "least_total_slack": "maxmargin.api.error_verbs",
    "load": "maxmargin.data.dataset",
    "margin_report": "maxmargin.reports.margin_report",
    "mistake_bounds": "maxmargin.theory.perceptron_bounds",
    "mistake_trace": "maxmargin.theory.mistake_traces",
    "nu_margin": "maxmargin.api.margin_verbs",
    "online": "maxmargin.api.online_runs",
    "online_algorithms": "maxmargin.api.online_runs",
    "order_study": "maxmargin.theory.order_studies",
    "perceptron": "maxmargin.api.running",
    "prepare": "maxmargin.data.preparing",
    "require": "maxmargin.certificates.require",
    "separability": "maxmargin.api.deciding",
    "soft_margin": "maxmargin.api.margin_verbs",
    "soft_margin_path": "maxmargin.api.margin_verbs",
    "verify": "maxmargin.certificates.proofs",
}

__all__ = [
    "Bound",
    "CertificateError",
    "DataError",
    "Dataset",
    "FewestErrors",
    "Guarantee",
    "HardMargin",
    "InvalidProblemError",
    "MarginReport",
    "MistakeTrace",
    "NuMargin",
    "OnlineAlgorithm",
    "OnlineRun",
    "OrderStudy",
    "PerceptronRun",
    "Separability",
    "SeparationError",
    "SoftMargin",
    "Status",
    "TotalSlack",
    "Verdict",
    "fewest_errors",
    "from_arrays",
    "generate",
    "hard_margin",
    "least_total_slack",
    "load",
    "margin_report",
    "mistake_bounds",
    "mistake_trace",
    "nu_margin",
    "online",
    "online_algorithms",
    "order_study",
    "perceptron",
    "prepare",
    "require",
    "separability",
    "soft_margin",
    "soft_margin_path",
    "verify",
]


def __getattr__(name: str) -> "Any":
    """Load a public name from where it lives."""
    if name == "features":  # a module that is public by this name only
        value = import_module("maxmargin.data.features")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
