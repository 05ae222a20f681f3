"""From the text of a Boolean formula to postfix notation, by Dijkstra's shunting yard algorithm.

It needs no recursion, so the length and the depth of a formula are limited by memory only. Python's own `ast` refuses
more than 200 nested parentheses, and a sum of a few thousand terms with a RecursionError or a MemoryError.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from maxmargin.data.generators.family import cut
from maxmargin.solvers.errors import InvalidOptionError

NOT, AND, XOR, OR = "~", "&", "^", "|"

_SPELLINGS = {"~": NOT, "!": NOT, "not": NOT, "&": AND, "and": AND, "^": XOR, "xor": XOR, "|": OR, "or": OR}

_PRECEDENCE = {NOT: 4, AND: 3, XOR: 2, OR: 1}
"""The order of these operators in Python and C."""

_TOKEN = re.compile(r"[A-Za-z0-9_]+|\S")
_OPERAND = re.compile(r"[01]|x[1-9][0-9]{0,5}")
_NUMBERED = re.compile(r"x[1-9][0-9]*")

_EXPECTED_OPERAND = "a variable x1, x2, ..., x999999, a constant 0 or 1, ~ or ("
_EXPECTED_NUMBER = "a variable with a number up to 999999"
_EXPECTED_OPERATOR = "an operator &, ^, |"


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of the text, its standard spelling, and the position of its first character, from 1; the end is empty."""

    text: str
    symbol: str
    position: int


def parse(text: str) -> tuple[str, ...]:
    """Return the formula in postfix notation: variables, "0", "1", and the operators "~", "&", "^", "|".

    ``~`` has the highest precedence, then ``&``, ``^`` and ``|``; binary operators are left-associative.

    Raises
    ------
    InvalidOptionError
        If the text is no formula: the text found, its position, and what was expected.

    Examples
    --------
    >>> parse("(x1 or x4) and not x3")
    ('x1', 'x4', '|', 'x3', '~', '&')
    """
    yard = _Yard()
    expects_operand = True
    for token in _tokens(text):
        expects_operand = yard.take_operand(token) if expects_operand else yard.take_operator(token)
    return tuple(yard.program)


class _Yard:
    """The program so far, and the stack of operators and open parentheses."""

    def __init__(self) -> None:
        self.program: list[str] = []
        self.stack: list[_Token] = []

    def take_operand(self, token: _Token) -> bool:
        """Take a token where an operand begins; return whether the operand is still to come."""
        if token.symbol in (NOT, "("):
            self.stack.append(token)
            return True
        if _OPERAND.fullmatch(token.symbol) is None:
            raise _error(token, _EXPECTED_NUMBER if _NUMBERED.fullmatch(token.symbol) else _EXPECTED_OPERAND)
        self.program.append(token.symbol)
        return False

    def take_operator(self, token: _Token) -> bool:
        """Take a token after an operand; return whether another operand follows."""
        if token.symbol in (")", ""):
            self._close(token)
            return False
        if token.symbol not in (AND, XOR, OR):
            raise self._unexpected(token)
        self._apply(_PRECEDENCE[token.symbol])
        self.stack.append(token)
        return True

    def _close(self, token: _Token) -> None:
        self._apply(0)
        if bool(self.stack) is not bool(token.symbol):
            raise self._unexpected(token)
        del self.stack[-1:]

    def _apply(self, precedence: int) -> None:
        """Move the operators of at least this precedence to the program, back to the last open parenthesis."""
        while self.stack and _PRECEDENCE.get(self.stack[-1].symbol, -1) >= precedence:
            self.program.append(self.stack.pop().symbol)

    def _unexpected(self, token: _Token) -> InvalidOptionError:
        positions = [token.position for token in self.stack if token.symbol == "("]
        end = f") for the ( at character {positions[-1]}" if positions else "the end"
        return _error(token, f"{_EXPECTED_OPERATOR} or {end}")


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        yield _Token(match[0], _SPELLINGS.get(match[0].lower(), match[0]), match.start() + 1)
    yield _Token("", "", len(text) + 1)


def _error(token: _Token, expected: str) -> InvalidOptionError:
    found = repr(cut(token.text)) if token.text else "the end"
    return InvalidOptionError(f"formula, character {token.position}: found {found}, expected {expected}")
