"""Compiled: the scores of 64 rows in single precision at once, in vector registers, and which are at most a bound.

Numba's loops would do the same through memory and compare one number after another; here the vectors of LLVM are
written out. LLVM splits them where registers are shorter.
"""

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 64
"""Rows of a block."""

LINE = 64
"""Bytes that a processor reads at once, in any case."""

_WIDTH = 16
_PARTS = range(0, LANES, _WIDTH)
"""The first lane of every vector."""

_SCALAR = ir.FloatType()
_VECTOR = ir.VectorType(_SCALAR, _WIDTH)
_INDEX = ir.IntType(64)
_BYTES = 4

Signature = tuple[Any, Callable[..., Any]]


def _called_from_compiled_code(function: Callable[..., Signature]) -> Any:
    return intrinsic(function)


@_called_from_compiled_code
def scores_of_block(_: Any, blocks: Any, block: Any, weights: Any, scores: Any, most: Any) -> Signature:
    """Compute ``scores = weights @ blocks[block]``; return the lanes whose score is at most `most`, as bits.

    A sum is made in the order of its terms, with one rounding or two for each.

    Parameters
    ----------
    blocks : ndarray (n_blocks, at least n_coordinates, 64) of float32
    block : int
    weights : ndarray (n_coordinates,) of float32
    scores : ndarray (64,) of float32
        Written over.
    most : float32
    """

    def generate(context: Any, builder: Any, signature: Any, given: Sequence[Any]) -> Any:
        rows, of_weights, of_scores = (_array(context, builder, signature, given, position) for position in (0, 2, 3))
        n_coordinates = builder.extract_value(of_weights.shape, 0)
        start = builder.mul(given[1], builder.mul(builder.extract_value(rows.shape, 1), _index(LANES)))
        totals = [cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * _WIDTH)) for _ in _PARTS]
        with cgutils.for_range(builder, n_coordinates) as loop:
            weight = _in_every_lane(builder, builder.load(builder.gep(of_weights.data, [loop.index])))
            position = builder.add(start, builder.mul(loop.index, _index(LANES)))
            for part, total in zip(_PARTS, totals, strict=True):
                entries = _loaded(builder, _pointer(builder, rows.data, builder.add(position, _index(part))))
                builder.store(_plus_product(builder, builder.load(total), entries, weight), total)
        return _kept_and_compared(builder, of_scores.data, [builder.load(total) for total in totals], given[4])

    return types.uint64(blocks, types.int64, weights, scores, types.float32), generate


@_called_from_compiled_code
def add_to_scores(_: Any, products: Any, row: Any, factor: Any, scores: Any, most: Any) -> Signature:
    """Add 64 products times a factor to the scores; return the lanes whose score is at most `most`, as bits.

    Parameters
    ----------
    products : ndarray (64 n_rows,) of float32
    row : int
        ``products[64 * row : 64 * row + 64]`` are added.
    factor : float32
    scores : ndarray (64,) of float32
        Updated.
    most : float32
    """

    def generate(context: Any, builder: Any, signature: Any, given: Sequence[Any]) -> Any:
        rows, of_scores = (_array(context, builder, signature, given, position) for position in (0, 3))
        start = builder.mul(given[1], _index(LANES))
        factor = _in_every_lane(builder, given[2])
        totals = []
        for part in _PARTS:
            entries = _loaded(builder, _pointer(builder, rows.data, builder.add(start, _index(part))))
            score = _loaded(builder, _pointer(builder, of_scores.data, _index(part)))
            totals.append(_plus_product(builder, score, entries, factor))
        return _kept_and_compared(builder, of_scores.data, totals, given[4])

    return types.uint64(products, types.int64, types.float32, scores, types.float32), generate


@_called_from_compiled_code
def prefetch(_: Any, array: Any, start: Any, n: Any) -> Signature:
    """Have `n` numbers of 8 bytes of an array brought near the processor."""

    def generate(context: Any, builder: Any, signature: Any, given: Sequence[Any]) -> Any:
        data = _array(context, builder, signature, given, 0).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        reading, keeping, is_data = (ir.Constant(number, value) for value in (0, 3, 1))
        end = builder.add(given[1], given[2])
        with cgutils.for_range_slice(builder, given[1], end, _index(LINE // 8)) as (position, _):
            builder.call(function, [builder.bitcast(builder.gep(data, [position]), byte), reading, keeping, is_data])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


@_called_from_compiled_code
def lowest_bit(_: Any, bits: Any) -> Signature:
    """Return the position of the lowest bit that is set, of bits that are not all 0."""

    def generate(context: Any, builder: Any, signature: Any, given: Sequence[Any]) -> Any:
        return builder.cttz(given[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


def _index(value: int) -> Any:
    return ir.Constant(_INDEX, value)


def _array(context: Any, builder: Any, signature: Any, given: Sequence[Any], position: int) -> Any:
    return context.make_array(signature.args[position])(context, builder, given[position])


def _pointer(builder: Any, data: Any, offset: Any) -> Any:
    return builder.bitcast(builder.gep(data, [offset]), _VECTOR.as_pointer())


def _loaded(builder: Any, pointer: Any) -> Any:
    vector = builder.load(pointer)
    vector.align = _BYTES
    return vector


def _in_every_lane(builder: Any, value: Any) -> Any:
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(ir.IntType(32), _WIDTH), [0] * _WIDTH))


def _plus_product(builder: Any, total: Any, left: Any, right: Any) -> Any:
    """Return total + left * right, fused where the processor can do that."""
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{_WIDTH}f32")
    return builder.call(function, [left, right, total])


def _kept_and_compared(builder: Any, data: Any, vectors: Sequence[Any], most: Any) -> Any:
    """Store the vectors; return a bit for every lane that is at most `most`."""
    bound = _in_every_lane(builder, most)
    found = _index(0)
    for part, vector in zip(_PARTS, vectors, strict=True):
        builder.store(vector, _pointer(builder, data, _index(part))).align = _BYTES
        lanes = builder.bitcast(builder.fcmp_ordered("<=", vector, bound), ir.IntType(_WIDTH))
        found = builder.or_(found, builder.shl(builder.zext(lanes, _INDEX), _index(part)))
    return found
