"""The class that is +1: the chosen one, else of two the affirmative one of a known pair, else the greater one."""

from collections.abc import Sequence
from typing import TypeAlias

from maxmargin.data.labels.labels import Label, check_classes, choose_positive

PositiveClass: TypeAlias = tuple[Label | None, str | None]
"""The class that is +1, and why; None if there are more than two and none was chosen."""

PAIRS = frozenset(
    {
        ("+", "-"), ("+1", "-1"), ("1", "-1"), ("plus", "minus"), ("pos", "neg"), ("positive", "negative"),
        ("true", "false"), ("t", "f"), ("yes", "no"), ("y", "n"), ("on", "off"), ("present", "absent"),
        ("case", "control"), ("cases", "controls"), ("treated", "control"), ("treatment", "control"),
        ("diseased", "healthy"), ("disease", "healthy"), ("sick", "healthy"), ("ill", "healthy"),
        ("patient", "control"), ("patient", "healthy"), ("affected", "unaffected"), ("infected", "uninfected"),
        ("abnormal", "normal"), ("malignant", "benign"), ("success", "failure"), ("pass", "fail"),
    }
)  # fmt: skip
"""The affirmative label and the other one, in small letters."""

NEGATIONS = ("not", "no", "non")
"""What turns a label into its opposite when it stands before it: "diabetic" and "non-diabetic"."""

IN_ORDER = "the greater label in sorted order"
CHOSEN = "chosen with positive="
AGAINST_REST = "the class against the rest"
SECOND_OF_PAIR = "the second class of the pair"


def positive_class(classes: Sequence[Label], chosen: object) -> PositiveClass:
    """Return which class is +1, and why.

    Raises
    ------
    LabelError
        The classes do not make a classification problem, or none of them is the chosen one.
    """
    check_classes(classes, is_positive_chosen=chosen is not None)
    if chosen is not None:
        return choose_positive(classes, chosen), CHOSEN
    return default_positive(classes) if len(classes) == 2 else (None, None)


def default_positive(classes: Sequence[Label]) -> tuple[Label, str]:
    """Return which of two classes in sorted order is +1, and why.

    Examples
    --------
    >>> default_positive(["+", "-"]), default_positive(["a", "b"])
    (('+', 'the affirmative of +/-'), ('b', 'the greater label in sorted order'))
    >>> default_positive(["Diabetic", "non-diabetic"])
    ('Diabetic', 'the affirmative of Diabetic/non-diabetic')
    """
    least, greatest = classes
    for label, other in ((least, greatest), (greatest, least)):
        if _affirms(_plain(label), _plain(other)):
            return label, f"the affirmative of {label}/{other}"
    return greatest, IN_ORDER


def _affirms(label: str, other: str) -> bool:
    return (label, other) in PAIRS or any(other == f"{word}{gap}{label}" for word in NEGATIONS for gap in " -_")


def _plain(label: object) -> str:
    """Return a label in small letters, with a plain minus sign."""
    return str(label).strip().casefold().replace("\N{MINUS SIGN}", "-")
