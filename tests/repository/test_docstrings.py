"""Every public name has a docstring in the sections of numpydoc, which says what its signature says."""

import dataclasses
import enum
import inspect
import re
from collections.abc import Callable

import pytest
from cases import for_each

import maxmargin
from maxmargin import adversaries, boolean, displays, features, textbook, translation_studies

# In the order of numpydoc.
SECTIONS = ["Parameters", "Attributes", "Returns", "Raises", "See Also", "Notes", "References", "Examples"]

# Functions that read, make or show data; every other one states a theorem or an algorithm, and names its source.
WITHOUT_STATEMENT = {"from_arrays", "generate", "load", "margin_report", "online_algorithms", "prepare"}

DISPLAYS = {name: shown for name, shown in inspect.getmembers(displays, inspect.isclass)}
PUBLIC = {name: getattr(maxmargin, name) for name in maxmargin.__all__} | DISPLAYS
FUNCTIONS = {name: shown for name, shown in PUBLIC.items() if inspect.isfunction(shown)}
OF_MODULES = {
    f"{module.__name__}.{name}": shown
    for module in (adversaries, boolean, features, textbook, translation_studies)
    for name, shown in inspect.getmembers(module, inspect.isfunction)
    if name in getattr(module, "__all__", ()) or (shown.__module__ == module.__name__ and name[0] != "_")
}
CLASSES = {name: shown for name, shown in PUBLIC.items() if inspect.isclass(shown)}

HEADING = re.compile(r"^(\w[\w ]*)\n-+$", re.MULTILINE)
ENTRY = re.compile(r"^(\S[^:\n]*?)(?: : (.+))?$", re.MULTILINE)


def sections_of(doc: str) -> dict[str, str]:
    """Return the text of every section, in their order."""
    _, *parts = HEADING.split(doc)
    return {name: text.strip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}


def entries_of(section: str) -> dict[str, tuple[str, str]]:
    """Return the type and the description of every name in a section of parameters or attributes."""
    _, *parts = ENTRY.split(section)
    entries = {}
    for names, kind, description in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        entries |= dict.fromkeys(names.split(", "), (kind or "", " ".join(description.split())))
    return entries


def states_default(kind: str, default: object) -> bool:
    """Whether the type of an entry names this default; for None and a tuple it may say `optional` instead."""
    if isinstance(default, enum.StrEnum):
        default = default.value
    if default is inspect.Parameter.empty:
        return "optional" not in kind and "default" not in kind
    texts = {f"default {default!r}", f"default {default!r}".replace("'", '"')}
    if isinstance(default, int):
        texts.add(f"default {default:_}")
    return any(kind.endswith(text) for text in texts) or (
        kind.endswith("optional") and (default is None or (isinstance(default, tuple) and default != ()))
    )


def faults_of(function: Callable[..., object], *, has_statement: bool = True) -> list[str]:
    """Return what is missing or wrong in the docstring of a function."""
    sections = sections_of(inspect.getdoc(function) or "")
    parameters = inspect.signature(function).parameters
    needed = ["Returns", "See Also", "Examples"]
    needed += ["Parameters", "Raises"] * bool(parameters) + ["References"] * has_statement
    faults = [f"no section {name}" for name in needed if name not in sections]
    entries = entries_of(sections.get("Parameters", ""))
    names = [f"**{name}" if p.kind == p.VAR_KEYWORD else name for name, p in parameters.items()]
    if list(entries) != names:
        faults.append(f"the parameters are {names}, the docstring has {list(entries)}")
    faults += [f"{name} is not described" for name, (_, description) in entries.items() if not description]
    for name, parameter in parameters.items():
        if parameter.kind != parameter.VAR_KEYWORD and name in entries:
            kind, _ = entries[name]
            if not kind or not states_default(kind, parameter.default):
                faults.append(f"the type of {name} is {kind!r}, its default {parameter.default!r}")
    return faults


def documented_in(cls: type) -> set[str]:
    return set(entries_of(sections_of(inspect.getdoc(cls) or "").get("Attributes", "")))


@for_each("name", [*FUNCTIONS, *OF_MODULES])
def test_a_function_documents_its_parameters_and_results(name: str) -> None:
    has_statement = name in FUNCTIONS and name not in WITHOUT_STATEMENT
    assert faults_of((FUNCTIONS | OF_MODULES)[name], has_statement=has_statement) == []


@for_each("name", CLASSES)
def test_a_class_documents_its_attributes(name: str) -> None:
    cls = CLASSES[name]
    if issubclass(cls, enum.Enum):
        assert documented_in(cls) == set(cls.__members__)
    elif dataclasses.is_dataclass(cls):
        fields = {field.name for field in dataclasses.fields(cls) if not field.name.startswith("_")}
        assert fields - documented_in(cls) == set()
    assert {attribute for attribute in documented_in(cls) if not hasattr_of(cls, attribute)} == set()


@for_each("name", DISPLAYS)
def test_a_display_documents_how_it_is_made(name: str) -> None:
    makers = [maker for key in ("from_result", "from_estimator") if (maker := getattr(DISPLAYS[name], key, None))]
    assert makers
    for maker in makers:  # the class has an example
        assert set(faults_of(maker, has_statement=False)) <= {"no section See Also", "no section Examples"}


def hasattr_of(cls: type, attribute: str) -> bool:
    """Whether instances have this attribute: a field, a property, or one that `__init__` sets."""
    annotated = {name for base in cls.__mro__ for name in getattr(base, "__annotations__", {})}
    return hasattr(cls, attribute) or attribute in annotated or attribute in cls.__init__.__code__.co_names


@for_each("name", PUBLIC)
def test_the_summary_is_one_sentence_and_the_sections_are_those_of_numpydoc_in_their_order(name: str) -> None:
    doc = inspect.getdoc(PUBLIC[name]) or ""
    summary, found = doc.partition("\n\n")[0], sections_of(doc)
    assert "\n" not in summary and summary[0].isupper() and summary.endswith(".")
    assert list(found) == [section for section in SECTIONS if section in found]
    assert ">>> " in found["Examples"]
    for number, reference in enumerate(found.get("References", "").split(".. ")[1:], start=1):
        assert reference.startswith(f"[{number}] ") and re.search(r"\b(19|20)\d\d\b", reference)


def forgetful(X: object, y: object, *, bias: bool = True, limit: int | None = None) -> int:
    """Count.

    Parameters
    ----------
    X : array_like
        Rows.
    y, bias
        As elsewhere.

    Returns
    -------
    int
        The number.
    """
    return 0


def test_what_a_docstring_forgets_is_found() -> None:
    faults = faults_of(forgetful)
    assert {f"no section {name}" for name in ("Raises", "See Also", "References", "Examples")} <= set(faults)
    assert "the parameters are ['X', 'y', 'bias', 'limit'], the docstring has ['X', 'y', 'bias']" in faults
    assert "the type of bias is '', its default True" in faults


@pytest.mark.parametrize("kind, default, is_stated", [
    ("bool, default True", True, True), ("bool, default False", True, False), ("int, default 10_000", 10_000, True),
    ('{"auto", "cvxpy"}, default "auto"', "auto", True), ("float, optional", None, True), ("float", None, False),
    ("array_like", inspect.Parameter.empty, True), ("array_like, optional", inspect.Parameter.empty, False),
])  # fmt: skip
def test_a_default_is_compared_with_the_signature(kind: str, default: object, is_stated: bool) -> None:
    assert states_default(kind, default) is is_stated
