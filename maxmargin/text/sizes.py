"""Sizes of memory, as users write them and as they are shown."""

import re

from maxmargin.solvers.errors import InvalidOptionError

_UNITS = {"": 1, "b": 1, **{f"{letter}{kind}": (1024 if kind == "ib" else 1000) ** power
                            for power, letter in enumerate("kmgt", start=1) for kind in ("", "b", "ib")}}  # fmt: skip


def memory_size(size: str | int) -> int:
    """Return the bytes of a size such as ``"512MiB"``, ``"1.5 GB"`` or a number of bytes.

    Raises
    ------
    InvalidOptionError
        It is not a positive size.

    Examples
    --------
    >>> memory_size("1GiB"), memory_size("2 kB"), memory_size(10**6)
    (1073741824, 2000, 1000000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-z]*)\s*", str(size).lower())
    unit = None if found is None else _UNITS.get(found[2])
    n_bytes = 0 if found is None or unit is None else int(float(found[1]) * unit)
    if n_bytes < 1:
        raise InvalidOptionError(f"memory is {size!r}; expected a size such as 512MiB, 1GiB, or a number of bytes")
    return n_bytes


def size_text(n_bytes: int) -> str:
    """Return a number of bytes in a unit that is easy to read.

    Examples
    --------
    >>> size_text(3 << 29)
    '1.5 GiB'
    """
    size = float(n_bytes)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TiB"
