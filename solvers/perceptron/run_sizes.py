"""Limits of size and of work that choose how a perceptron is computed; its mistakes are the same for all of them."""

from dataclasses import dataclass, fields

from maxmargin.solvers.errors import InvalidOptionError

_PROVEN = ("most_block_coordinates", "most_limb_products", "most_limb_mistakes", "most_limb_bits")
"""Fields whose defaults are the largest values for which the arithmetic is proven to be exact, or well bounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSizes:
    """Limits that choose engines, the length of logs, and how often a run looks at the clock.

    Attributes
    ----------
    most_logged : int
        Mistakes, and epochs, that are logged one by one (16.8 million); later ones are counted only.
    log_buffer : int
        Mistakes, and epochs, between two returns from compiled code.
    slice_entries : int
        Matrix entries read between two looks at the clock and at Ctrl-C: a few ms.
    seconds_between_reports : float
        Least time between two calls of the progress callback.
    most_block_entries : int
        Largest X (entries, the constant coordinate included) that is copied into blocks: these fill 256 MiB.
    most_block_coordinates : int
        Longest row (entries) in blocks: D 2**-24 is below 2**-7 for these, and D 2**-52 below 2**-24.
    most_block_products : int
        Rows up to which the Gram matrices of the blocks are kept (4 MiB); of more, products are computed when needed.
    most_ties : int
        Scores that are computed exactly without limbs; later ones are decided as rounded, and counted.
    reload_after : int
        Mistakes after which the weights are rounded again from their exact value, so that errors do not add up.
    most_limbs : int
        Limbs of all rows: as much memory as the largest Gram matrix needs (32 MiB).
    most_limb_steps : int
        Counts looked at and products added up in one pass: some ms, between two looks at the clock and at Ctrl-C.
    most_limb_products : int
        Products of two limbs that are added up: each is below 2**48 and the carry below 2**39, the sum below 2**63.
    most_limb_mistakes : int
        Mistakes for which sums of limbs stay below 2**62, and their carries below two limbs.
    most_limb_bits : int
        Bits of a number in units of the lowest bit of all numbers, so that it is exact in floating point as well.

    Raises
    ------
    InvalidOptionError
        If a field is larger than the largest value for which the arithmetic is proven.
    """

    most_logged: int = 1 << 24
    log_buffer: int = 65_536
    slice_entries: int = 20_000_000
    seconds_between_reports: float = 0.1
    most_block_entries: int = 1 << 26
    most_block_coordinates: int = 1 << 16
    most_block_products: int = 1 << 14
    most_ties: int = 20_000
    reload_after: int = 10_000_000
    most_limbs: int = 1 << 22
    most_limb_steps: int = 1 << 24
    most_limb_products: int = 1 << 14
    most_limb_mistakes: int = 1 << 38
    most_limb_bits: int = 1000

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name in _PROVEN and getattr(self, field.name) > field.default:
                raise InvalidOptionError(f"{field.name} is {getattr(self, field.name)}; expected up to {field.default}")
