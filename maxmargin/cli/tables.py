"""Tables of text."""

from collections.abc import Collection, Sequence


def aligned(rows: Sequence[Sequence[str]], *, to_the_left: Collection[int]) -> list[str]:
    """Return the rows as lines with columns of equal width, numbers to the right.

    Parameters
    ----------
    rows : sequence of sequences of str
        All of one length; the first is the head.
    to_the_left : collection of int
        Columns that hold words.

    Examples
    --------
    >>> print("\\n".join(aligned([("name", "n"), ("a", "1,000")], to_the_left=[0])))
    name      n
    a     1,000
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_line(row, widths, to_the_left) for row in rows]


def _line(row: Sequence[str], widths: Sequence[int], to_the_left: Collection[int]) -> str:
    cells = (
        cell.ljust(width) if place in to_the_left else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()
