"""The data of a question inside a page, or in a file beside it, as `templates/check_proof.js` reads them."""

from base64 import b64encode
from collections.abc import Iterator

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.problem.problem import ClassProblem, Problem


def raw_data(problem: Problem | ClassProblem) -> Iterator[bytes]:
    """Yield, in parts, the bytes whose SHA-256 a proof states: of the file ``DATA.f64`` beside a page.

    They are the line ``n d``, the rows as little-endian binary64 (0.0 for -0.0), and the labels: signs as int8, codes
    of several classes as little-endian int32.

    Raises
    ------
    InvalidProblemError
        If the data are decimals or fractions, whose hash is of a text.

    Examples
    --------
    >>> problem = Problem.validated([[1.0], [2.0]], [-1, 1])
    >>> b"".join(raw_data(problem))[:4]
    b'2 1\\n'
    """
    if problem.reading != "binary64":
        raise InvalidProblemError("the data are decimals or fractions; expected binary64 numbers")
    return problem.hashed_parts()


def embedded_data(problem: Problem | ClassProblem) -> dict[str, str]:
    """Return the data as text for a page: decimals or base64, whichever is shorter.

    Decimals are lines of the row, then the sign or the code of its class, separated by commas. Each number has the
    fewest digits that read back to it. Base64 is of the bytes of `raw_data`.

    Raises
    ------
    InvalidProblemError
        If the data are decimals or fractions.

    Examples
    --------
    >>> embedded_data(Problem.validated([[5.0], [-0.25]], [-1, 1]))
    {'format': 'decimal', 'text': '5,-1\\n-.25,1'}
    """
    raw = b"".join(raw_data(problem))
    text = _decimals(problem)
    if len(text) <= 4 * -(-len(raw) // 3):
        return {"format": "decimal", "text": text}
    return {"format": "base64", "text": b64encode(raw).decode("ascii")}


def _decimals(problem: Problem | ClassProblem) -> str:
    labels = iter((problem.y if isinstance(problem, Problem) else problem.codes).tolist())
    rows = (row for X in problem.dense_chunks() for row in (X + 0.0).tolist())  # -0.0 becomes 0.0
    return "\n".join(",".join([*map(_decimal, row), str(int(next(labels)))]) for row in rows)


def _decimal(number: float) -> str:
    text = repr(number).removesuffix(".0")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
