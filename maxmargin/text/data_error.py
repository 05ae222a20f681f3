"""The error of a source that cannot be read as data, and the wording of its one line."""

from collections.abc import Iterable

from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.errors import MARKS, WordedError
from maxmargin.solvers.errors import option as mention

# Number of characters of a found text that a message shows.
LONGEST_QUOTE = 40

# Number of choices that a message lists before it writes `...`.
MOST_NAMED = 10


class DataError(WordedError):
    """A source (file, stream, data frame) does not hold usable data.

    The text is one line that names the source and the position in it, the value that was found and the one expected.

    Parameters
    ----------
    message : str
        The text, in which options are marked: it names them as arguments in Python, and as options on the command line.

    Attributes
    ----------
    source : str or None
        The file, or a description of an object in memory.
    line : int or None
        The line of a text file, from 1.
    column : str, int or None
        Name of the column, or its position from 0.

    See Also
    --------
    maxmargin.load : Read a data set, and raise this error if that is impossible.

    Examples
    --------
    >>> import maxmargin as mm
    >>> try:
    ...     mm.load("no-such-file.csv")
    ... except mm.DataError as error:
    ...     print(str(error).partition(":")[0])
    no-such-file.csv
    """

    source: str | None = None
    line: int | None = None
    column: str | int | None = None


class ValueRefusedError(WordedError):
    """A value is refused by code that does not know its source.

    The attributes are the value found, the value expected, advice, and the row and column if these are known.
    """

    def __init__(
        self, *, found: str, expected: str, hint: str = "", row: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(f"found {found}, expected {expected}" + (f" ({hint})" if hint else ""))
        self.found, self.expected, self.hint, self.row, self.column = found, expected, hint, row, column

    def in_source(self, source: str, column: str | int | None = None, *, first_row: int = 0) -> DataError:
        """Return the error of the source; `column` is the column's name, or its position in the source."""
        column = self.column if column is None else column
        row = None if self.row is None else first_row + self.row
        return data_error(source, row=row, column=column, found=self.found, expected=self.expected, hint=self.hint)


def data_error(
    source: str,
    *,
    found: str,
    expected: str,
    line: int | None = None,
    row: int | None = None,
    column: str | int | None = None,
    option: str | None = None,
    hint: str = "",
) -> DataError:
    """Return a :class:`DataError`.

    Parameters
    ----------
    source : str
        The file's name, or a description of an object in memory.
    found, expected : str
        The value that is there and the value that should be there, ready to print.
    line : int, optional
        Line of a text file, from 1.
    row : int, optional
        Row of a source without lines, from 0.
    column : str or int, optional
        Name of the column, or its position from 0.
    option : str, optional
        The option that asked for something the source does not have, by its name in Python.
    hint : str
        Advice. Here and in the other texts, options are named by `maxmargin.solvers.errors.option`.

    Examples
    --------
    >>> print(data_error("a.csv", line=3, column="petal", found="'abc'", expected="a number"))
    a.csv: line 3, column 'petal': found 'abc', expected a number
    """
    named = {"line": line, "row": row, "column": None if column is None else repr(column)}
    positions = [f"{name} {value}" for name, value in named.items() if value is not None]
    if option is not None:
        positions.append(mention(option))
    position = f"{', '.join(positions)}: " if positions else ""
    advice = f" ({hint})" if hint else ""
    message = printable(f"{position}found {found}, expected {expected}{advice}", but=MARKS)
    error = DataError(f"{printable(source)}: {message}")
    error.source, error.line, error.column = source, line, column
    return error


def quoted(value: object) -> str:
    """Return `value` as a message shows it: quoted, and cut when it is long."""
    text = cut(str(value))
    return repr(text) if isinstance(value, str) else text


def cut(text: str, longest: int = LONGEST_QUOTE) -> str:
    """Return the text, cut after its first `longest` characters.

    Examples
    --------
    >>> cut("gap:40"), cut("gap:4000", 5)
    ('gap:40', 'gap:4...')
    """
    return text if len(text) <= longest else f"{text[:longest]}..."


def listed(values: Iterable[object]) -> str:
    """Return the first few values, quoted, with commas."""
    every = list(values)
    first = [quoted(value) for value in every[:MOST_NAMED]]
    return ", ".join([*first, "..."] if len(every) > MOST_NAMED else first)


def nearest(wanted: object, choices: Iterable[object]) -> str:
    """Return "did you mean ...?" with the choice spelt most like `wanted`, or an empty text."""
    import difflib

    spelt = {str(choice).casefold(): choice for choice in choices}
    close = difflib.get_close_matches(str(wanted).casefold(), list(spelt), n=1)
    return f"did you mean {spelt[close[0]]!r}?" if close else ""
