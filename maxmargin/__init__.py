"""maxmargin puts the perceptron next to exact answers, and proves every answer.

Functions take arrays ``X, y``; a data frame with the name of its label column, or with a formula such as
``"died ~ age + C(stage)"``; or a data set of `load`, `generate` or `from_arrays`. ``help(maxmargin.separability)``
explains one of them, and ``summary()`` of its answer says in words what was found.

Are the classes separable, and does the estimate of a logistic regression exist?
    `separability`; `require` in scripts, `SeparationGuard` in pipelines of scikit-learn, `check_model` for models that
    statsmodels or scikit-learn have fitted; `verify` checks proofs; `fewest_errors` and `least_total_slack`
What is the maximum margin?
    `hard_margin`, `soft_margin`, `soft_margin_path`, `nu_margin`; `sensitivity` for outliers and moving rows; `judge`
    for hyperplanes that are given; `MaxMarginClassifier` in scikit-learn; the module `textbook` for programs of cvxpy
How many mistakes does the perceptron make?
    `perceptron`, `mistake_bounds`, `mistake_trace`, `order_study`; `online` for other algorithms;
    `PerceptronClassifier` and `OnlineClassifier` in scikit-learn
All of it on a page, on axes, or for many methods and data
    `margin_report`; the module `displays`; `compare`, `trust`

Public names are loaded on first use, so that ``import maxmargin`` costs little.
"""

from importlib import import_module

from maxmargin.text.version import __version__ as __version__

TYPE_CHECKING = False  # not imported: loading `typing` takes long enough for a Ctrl-C to arrive in it

if TYPE_CHECKING:
    from typing import Any

    from maxmargin import adversaries as adversaries
    from maxmargin import boolean as boolean
    from maxmargin import displays as displays
    from maxmargin import translation_studies as translation_studies
    from maxmargin.api import textbook as textbook
    from maxmargin.api.deciding import fewest_errors as fewest_errors
    from maxmargin.api.deciding import least_total_slack as least_total_slack
    from maxmargin.api.deciding import separability as separability
    from maxmargin.api.margin_verbs import hard_margin as hard_margin
    from maxmargin.api.margin_verbs import nu_margin as nu_margin
    from maxmargin.api.margin_verbs import sensitivity as sensitivity
    from maxmargin.api.margin_verbs import soft_margin as soft_margin
    from maxmargin.api.margin_verbs import soft_margin_path as soft_margin_path
    from maxmargin.api.running import online as online
    from maxmargin.api.running import online_algorithms as online_algorithms
    from maxmargin.api.running import perceptron as perceptron
    from maxmargin.certificates.proofs import verify as verify
    from maxmargin.certificates.require import SeparationError as SeparationError
    from maxmargin.certificates.require import require as require
    from maxmargin.comparison.comparison import Comparison as Comparison
    from maxmargin.data import features as features
    from maxmargin.data.dataset import Dataset as Dataset
    from maxmargin.data.generators import generate as generate
    from maxmargin.data.preparing import prepare as prepare
    from maxmargin.data.reading.arrays import from_arrays as from_arrays
    from maxmargin.data.reading.loading import load as load
    from maxmargin.estimators.max_margin_classifier import MaxMarginClassifier as MaxMarginClassifier
    from maxmargin.estimators.online_classifiers import OnlineClassifier as OnlineClassifier
    from maxmargin.estimators.online_classifiers import PerceptronClassifier as PerceptronClassifier
    from maxmargin.estimators.separation_guard import SeparationGuard as SeparationGuard
    from maxmargin.estimators.separation_guard import SeparationWarning as SeparationWarning
    from maxmargin.explaining.separability_answer import Separability as Separability
    from maxmargin.models.check_model import check_model as check_model
    from maxmargin.models.model_check import ModelCheck as ModelCheck
    from maxmargin.reports.comparison_verbs import compare as compare
    from maxmargin.reports.comparison_verbs import trust as trust
    from maxmargin.reports.margin_report import MarginReport as MarginReport
    from maxmargin.reports.margin_report import margin_report as margin_report
    from maxmargin.reports.trust_report import TrustReport as TrustReport
    from maxmargin.solvers.answers.statuses import Status as Status
    from maxmargin.solvers.answers.statuses import Verdict as Verdict
    from maxmargin.solvers.errors import InvalidProblemError as InvalidProblemError
    from maxmargin.solvers.fewest_errors.fewest_solution import FewestErrors as FewestErrors
    from maxmargin.solvers.fewest_errors.total_slack import TotalSlack as TotalSlack
    from maxmargin.solvers.hard_margin.hard_solution import HardMargin as HardMargin
    from maxmargin.solvers.hard_margin.margin_sensitivity import Sensitivity as Sensitivity
    from maxmargin.solvers.online.algorithm import OnlineRun as OnlineRun
    from maxmargin.solvers.online.catalogue import OnlineAlgorithm as OnlineAlgorithm
    from maxmargin.solvers.online.guarantee import Guarantee as Guarantee
    from maxmargin.solvers.perceptron.result import PerceptronRun as PerceptronRun
    from maxmargin.solvers.proof.checker import CertificateError as CertificateError
    from maxmargin.solvers.soft_margin.soft_solution import NuMargin as NuMargin
    from maxmargin.solvers.soft_margin.soft_solution import SoftMargin as SoftMargin
    from maxmargin.text.data_error import DataError as DataError
    from maxmargin.theory.mistake_traces import MistakeTrace as MistakeTrace
    from maxmargin.theory.mistake_traces import mistake_trace as mistake_trace
    from maxmargin.theory.order_studies import OrderStudy as OrderStudy
    from maxmargin.theory.order_studies import order_study as order_study
    from maxmargin.theory.perceptron_bounds import Bound as Bound
    from maxmargin.theory.perceptron_bounds import mistake_bounds as mistake_bounds
    from maxmargin.theory.plane_judgement import PlaneJudgement as PlaneJudgement
    from maxmargin.theory.plane_judgement import judge as judge

# The public names by the module in which they live.
_PUBLIC = {
    "maxmargin.api.deciding": ("fewest_errors", "least_total_slack", "separability"),
    "maxmargin.api.margin_verbs": ("hard_margin", "nu_margin", "sensitivity", "soft_margin", "soft_margin_path"),
    "maxmargin.api.running": ("online", "online_algorithms", "perceptron"),
    "maxmargin.certificates.proofs": ("verify",),
    "maxmargin.certificates.require": ("SeparationError", "require"),
    "maxmargin.comparison.comparison": ("Comparison",),
    "maxmargin.data.reading.arrays": ("from_arrays",),
    "maxmargin.data.dataset": ("Dataset",),
    "maxmargin.data.generators": ("generate",),
    "maxmargin.data.preparing": ("prepare",),
    "maxmargin.data.reading.loading": ("load",),
    "maxmargin.estimators.max_margin_classifier": ("MaxMarginClassifier",),
    "maxmargin.estimators.online_classifiers": ("OnlineClassifier", "PerceptronClassifier"),
    "maxmargin.estimators.separation_guard": ("SeparationGuard", "SeparationWarning"),
    "maxmargin.models.check_model": ("check_model",),
    "maxmargin.models.model_check": ("ModelCheck",),
    "maxmargin.reports.comparison_verbs": ("compare", "trust"),
    "maxmargin.reports.margin_report": ("MarginReport", "margin_report"),
    "maxmargin.reports.trust_report": ("TrustReport",),
    "maxmargin.solvers.answers.statuses": ("Status", "Verdict"),
    "maxmargin.solvers.errors": ("InvalidProblemError",),
    "maxmargin.solvers.fewest_errors.fewest_solution": ("FewestErrors",),
    "maxmargin.solvers.fewest_errors.total_slack": ("TotalSlack",),
    "maxmargin.solvers.hard_margin.hard_solution": ("HardMargin",),
    "maxmargin.solvers.hard_margin.margin_sensitivity": ("Sensitivity",),
    "maxmargin.solvers.online.algorithm": ("OnlineRun",),
    "maxmargin.solvers.online.catalogue": ("OnlineAlgorithm",),
    "maxmargin.solvers.online.guarantee": ("Guarantee",),
    "maxmargin.solvers.perceptron.result": ("PerceptronRun",),
    "maxmargin.solvers.proof.checker": ("CertificateError",),
    "maxmargin.explaining.separability_answer": ("Separability",),
    "maxmargin.solvers.soft_margin.soft_solution": ("NuMargin", "SoftMargin"),
    "maxmargin.text.data_error": ("DataError",),
    "maxmargin.theory.mistake_traces": ("MistakeTrace", "mistake_trace"),
    "maxmargin.theory.order_studies": ("OrderStudy", "order_study"),
    "maxmargin.theory.perceptron_bounds": ("Bound", "mistake_bounds"),
    "maxmargin.theory.plane_judgement": ("PlaneJudgement", "judge"),
}

# The public modules that are loaded on first use by this name.
_MODULES = {
    **{name: f"maxmargin.{name}" for name in ("adversaries", "boolean", "displays", "translation_studies")},
    "features": "maxmargin.data.features",
    "textbook": "maxmargin.api.textbook",
}

_HOMES = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = sorted(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]  # type checkers read the imports above


def __getattr__(name: str) -> "Any":
    """Load a public name from where it lives."""
    if name in _MODULES:
        value = import_module(_MODULES[name])
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names and modules, loaded or not."""
    return sorted({*__all__, *_MODULES, *(name for name in globals() if name.startswith("__"))})
