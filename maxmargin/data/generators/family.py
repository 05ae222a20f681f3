"""A family of data sets: a name, parameters that are whole numbers or one of a few words, and how a case is made."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from maxmargin.data.generators.known_answers import KINDS, Case
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import nearest, quoted

Value: TypeAlias = int | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Integer:
    """A whole number from `least` to `most`."""

    default: int
    least: int
    most: int

    def read(self, name: str, text: str) -> Value:
        """Return the value that the text states for the parameter of this name.

        Raises
        ------
        InvalidOptionError
            It is not allowed.
        """
        digits = text.strip()
        is_number = digits.isascii() and digits.removeprefix("-").isdigit() and len(digits) <= len(str(self.most)) + 1
        if is_number and self.least <= int(digits) <= self.most:
            return int(digits)
        expected = f"a whole number from {self.least} to {self.most}"
        raise InvalidOptionError(f"found {name} {quoted(text)}, expected {expected}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One of a few words."""

    default: str
    choices: tuple[str, ...]

    def read(self, name: str, text: str) -> Value:
        """Return the choice that the text states for the parameter of this name.

        Raises
        ------
        InvalidOptionError
            It is no choice.
        """
        if text in self.choices:
            return text
        expected = f"one of {', '.join(self.choices)}{meant(text, self.choices)}"
        raise InvalidOptionError(f"found {name} {quoted(text)}, expected {expected}")


Parameter: TypeAlias = Integer | Word

# The seed of families that draw random numbers.
SEED = Integer(default=0, least=0, most=10**9)

# The parameter `kind` of families that can have each of the three verdicts.
KIND = Word(default="separable", choices=KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSetFamily:
    """A family of data sets.

    Attributes
    ----------
    name : str
        In kebab case.
    description : str
        One line.
    make : callable
        Takes the parameters by name and returns the case.
    parameters : mapping of str to Parameter
        In the order in which values may be given without a name.
    """

    name: str
    description: str
    make: Callable[..., Case]
    parameters: Mapping[str, Parameter]

    @property
    def usage(self) -> str:
        """Name and parameters with their defaults: ``gap:k=40:d=2``."""
        return self.full_name(self.values(()))

    def full_name(self, values: Mapping[str, Value]) -> str:
        """Return the name of the data set with these values."""
        return ":".join([self.name, *(f"{name}={value}" for name, value in values.items())])

    def values(self, texts: Iterable[str]) -> dict[str, Value]:
        """Return the values of all parameters: by position, or as ``name=value``.

        Raises
        ------
        InvalidOptionError
            Too many values, an unknown parameter, one given twice, a value that it does not take.
        """
        given: dict[str, Value] = {}
        for position, text in enumerate(texts):
            name, value = self._named(position, text)
            if name in given:
                raise InvalidOptionError(f"found {name} twice, expected it once")
            given[name] = self.parameters[name].read(name, value)
        return {name: given.get(name, parameter.default) for name, parameter in self.parameters.items()}

    def _named(self, position: int, text: str) -> tuple[str, str]:
        name, equals, value = text.partition("=")
        if equals and name in self.parameters:
            return name, value
        if equals:
            known = ", ".join(self.parameters) or "none"
            raise InvalidOptionError(
                f"found the parameter {quoted(name)}, expected {known}{meant(name, self.parameters)}"
            )
        if position >= len(self.parameters):
            raise InvalidOptionError(f"found the value {quoted(text)} too many, expected {self.usage}")
        return list(self.parameters)[position], text


def family(name: str, description: str, **parameters: Parameter) -> Callable[[Callable[..., Case]], DataSetFamily]:
    """Make a family of the function that makes its cases."""
    return lambda make: DataSetFamily(name=name, description=description, make=make, parameters=parameters)


def meant(wanted: str, choices: Iterable[str]) -> str:
    """Return " (did you mean ...?)" with the choice spelt most like `wanted`, or an empty text."""
    advice = nearest(wanted, choices)
    return f" ({advice})" if advice else ""
