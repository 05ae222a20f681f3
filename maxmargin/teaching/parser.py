"""From the text of a Boolean formula to a program for a stack machine, by Dijkstra's shunting yard: no recursion."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from maxmargin.solvers.errors import InvalidOptionError

NOT, AND, XOR, OR = "~", "&", "^", "|"

_SPELLINGS = {"~": NOT, "!": NOT, "not": NOT, "&": AND, "and": AND, "^": XOR, "xor": XOR, "|": OR, "or": OR}

_STRENGTH = {NOT: 4, AND: 3, XOR: 2, OR: 1}
"""What binds closer, as in Python and C."""

_TOKEN = re.compile(r"[A-Za-z0-9_]+|\S")
_VARIABLE = re.compile(r"x[1-9][0-9]{0,5}")

_OPERAND = "a variable x1, x2, ..., x999999, a constant 0 or 1, ~ or ("
_AFTER_OPERAND = "an operator &, ^, |"


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of the text, what it stands for, and the place of its first character, from 1; the end is empty."""

    text: str
    symbol: str
    place: int


def parse(text: str) -> tuple[str, ...]:
    """Return the formula in postfix notation: variables, "0", "1", and the operators "~", "&", "^", "|".

    ``~`` binds closest, then ``&``, ``^`` and ``|``; binary operators of one kind are taken from the left.

    Raises
    ------
    InvalidOptionError
        If the text is no formula: what was found, at which character, and what was expected.

    Examples
    --------
    >>> parse("(x1 or x4) and not x3")
    ('x1', 'x4', '|', 'x3', '~', '&')
    """
    yard = _Yard()
    is_operand_due = True
    for token in _tokens(text):
        is_operand_due = yard.take_operand(token) if is_operand_due else yard.take_operator(token)
    return tuple(yard.program)


class _Yard:
    """The program so far, and the operators and open parentheses that wait for what comes."""

    def __init__(self) -> None:
        self.program: list[str] = []
        self.waiting: list[_Token] = []

    def take_operand(self, token: _Token) -> bool:
        """Take a token where an operand begins; return whether the operand is still to come."""
        is_prefix = token.symbol in (NOT, "(")
        if is_prefix:
            self.waiting.append(token)
        elif token.symbol in ("0", "1") or _VARIABLE.fullmatch(token.symbol):
            self.program.append(token.symbol)
        else:
            raise _error(token, _OPERAND)
        return is_prefix

    def take_operator(self, token: _Token) -> bool:
        """Take a token after an operand; return whether another operand is to come."""
        if token.symbol in (")", ""):
            self._close(token)
            return False
        strength = _STRENGTH.get(token.symbol)
        if strength is None or token.symbol == NOT:
            raise _error(token, self._expected_after_operand())
        self._apply(strength)
        self.waiting.append(token)
        return True

    def _close(self, token: _Token) -> None:
        self._apply(0)
        is_end, is_open = not token.symbol, bool(self.waiting)
        if is_end is is_open:
            raise _error(token, self._expected_after_operand())
        if is_open:
            self.waiting.pop()

    def _apply(self, strength: int) -> None:
        """Move to the program what waits since the last parenthesis and binds at least so closely."""
        while self.waiting and _STRENGTH.get(self.waiting[-1].symbol, -1) >= strength:
            self.program.append(self.waiting.pop().symbol)

    def _expected_after_operand(self) -> str:
        places = [token.place for token in self.waiting if token.symbol == "("]
        return f"{_AFTER_OPERAND} or " + (f") for the ( at character {places[-1]}" if places else "the end")


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        yield _Token(match[0], _SPELLINGS.get(match[0].lower(), match[0]), match.start() + 1)
    yield _Token("", "", len(text) + 1)


def _error(token: _Token, expected: str) -> InvalidOptionError:
    found = repr(token.text) if token.text else "the end"
    return InvalidOptionError(f"formula, character {token.place}: found {found}, expected {expected}")
