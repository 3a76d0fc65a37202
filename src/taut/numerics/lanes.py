"""Numbers in lanes: one kernel, many variants at once.

A kernel reads its numbers through pointers (`taut.numerics.pointers.start_of`, `taut.numerics.packing.reals`). Where an
array has one column they are floats; where it has a row of WIDTH lanes for every entry they are `Lanes`, a vector that
the processor works on with one instruction. The same source compiles for both, as long as it chooses with `where`
instead of `if` whatever may differ from lane to lane, and asks `some`, `every`, `most` and `one` for what must not.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast, models, register_model

WIDTH = 16
LINE = 64
"""Bytes of a line of memory."""

_DOUBLES = ir.VectorType(ir.DoubleType(), WIDTH)
_BITS = ir.VectorType(ir.IntType(1), WIDTH)
_INT32 = ir.IntType(32)


class _Wide(types.Type):  # type: ignore[misc]
    """WIDTH of something. A single one becomes as many by taking every lane, so that sums may begin with 0.0."""

    narrow: type

    def unify(self, typing_context: Any, other: Any) -> Any:
        return self if isinstance(other, self.narrow) else None

    def can_convert_from(self, typing_context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, self.narrow) else None


class LanesType(_Wide):
    """WIDTH floats."""

    narrow = types.Float

    def __init__(self) -> None:
        super().__init__(name=f"lanes{WIDTH}")


class MaskType(_Wide):
    """WIDTH truths."""

    narrow = types.Boolean

    def __init__(self) -> None:
        super().__init__(name=f"mask{WIDTH}")


class LanePointerType(types.Type):  # type: ignore[misc]
    """Where a row of lanes begins; indexed like an array of `Lanes`."""

    def __init__(self) -> None:
        super().__init__(name=f"lane_pointer{WIDTH}")


class OneLanePointerType(types.Type):  # type: ignore[misc]
    """Where one lane of a row of lanes begins; indexed like an array of floats."""

    def __init__(self) -> None:
        super().__init__(name=f"one_lane_pointer{WIDTH}")


lanes, mask, lane_pointer, one_lane_pointer = LanesType(), MaskType(), LanePointerType(), OneLanePointerType()


def _model(of: type, data: ir.Type) -> None:
    class Model(models.PrimitiveModel):  # type: ignore[misc]
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, data)

    register_model(of)(Model)


_model(LanesType, _DOUBLES)
_model(MaskType, _BITS)
_model(LanePointerType, ir.PointerType(ir.DoubleType()))
_model(OneLanePointerType, ir.PointerType(ir.DoubleType()))


def _spread(builder: Any, value: Any, kind: Any = _DOUBLES) -> Any:
    """The same in every lane."""
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_INT32, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_INT32, WIDTH), [0] * WIDTH))


@lower_cast(types.Float, LanesType)  # type: ignore[untyped-decorator]
def _from_float(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return _spread(builder, value)


@lower_cast(types.Boolean, MaskType)  # type: ignore[untyped-decorator]
def _from_truth(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return _spread(builder, value, _BITS)


def _called(name: str, count: int, result: ir.Type = _DOUBLES) -> Callable[..., Any]:
    """An LLVM function of so many vectors."""

    def emit(builder: Any, *args: Any) -> Any:
        kind = ir.FunctionType(result, [args[0].type] * count)
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)

    return emit


def _teach(function: Any, emit: Callable[..., Any], cases: list[tuple[Any, ...]]) -> None:
    """Let numba know what a function does with these argument types; the first of each case is the result's."""
    signatures = [signature(*case) for case in cases]
    infer_global(function)(type(f"Lanes_{function.__name__}", (ConcreteTemplate,), {"cases": signatures}))
    for known in signatures:
        wide = any(isinstance(kind, LanesType | MaskType | LanePointerType) for kind in known.args)

        @lower_builtin(function, *known.args)  # type: ignore[untyped-decorator]
        def lower(context: Any, builder: Any, given: Any, args: Any, wide: bool = wide) -> Any:
            if wide:
                args = [
                    _spread(builder, value) if isinstance(kind, types.Float) else value
                    for kind, value in zip(given.args, args, strict=True)
                ]
            return emit(builder, *args)


def _between(result: Any) -> list[tuple[Any, ...]]:
    return [(result, lanes, lanes), (result, lanes, types.float64), (result, types.float64, lanes)]


def _operate(name: str) -> Callable[..., Any]:
    return lambda builder, a, b: getattr(builder, name)(a, b)


def _compare(sign: str) -> Callable[..., Any]:
    return lambda builder, a, b: builder.fcmp_ordered(sign, a, b)


def _extreme(sign: str) -> Callable[..., Any]:
    """As Python has it: the first, unless the second is beyond it."""
    return lambda builder, a, b: builder.select(builder.fcmp_ordered(sign, b, a), b, a)


for _name, _opcode in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul"), ("truediv", "fdiv")):
    _teach(getattr(operator, _name), _operate(_opcode), _between(lanes))
    _teach(getattr(operator, f"i{_name}"), _operate(_opcode), _between(lanes))
for _name, _sign in (("gt", ">"), ("lt", "<"), ("ge", ">="), ("le", "<="), ("eq", "==")):
    _teach(getattr(operator, _name), _compare(_sign), _between(mask))
_teach(operator.and_, _operate("and_"), [(mask, mask, mask)])
_teach(operator.or_, _operate("or_"), [(mask, mask, mask)])
_teach(builtins.max, _extreme(">"), _between(lanes))
_teach(builtins.min, _extreme("<"), _between(lanes))
_teach(operator.neg, lambda builder, a: builder.fneg(a), [(lanes, lanes)])
for _function, _name in (
    (math.sqrt, "sqrt"),
    (builtins.abs, "fabs"),
    (math.sin, "sin"),
    (math.cos, "cos"),
    (math.exp, "exp"),
):
    _teach(_function, _called(f"llvm.{_name}.v{WIDTH}f64", 1), [(lanes, lanes)])


# --- rows of lanes in memory


def _place(builder: Any, pointer: Any, index: Any) -> Any:
    start = builder.gep(pointer, [builder.mul(index, index.type(WIDTH))])
    return builder.bitcast(start, _DOUBLES.as_pointer())


def _load(builder: Any, pointer: Any, index: Any) -> Any:
    return builder.load(_place(builder, pointer, index), align=8)


def _store(builder: Any, pointer: Any, index: Any, value: Any) -> Any:
    return builder.store(value, _place(builder, pointer, index), align=8)


_teach(operator.getitem, _load, [(lanes, lane_pointer, types.intp)])
_teach(
    operator.setitem,
    _store,
    [(types.none, lane_pointer, types.intp, lanes), (types.none, lane_pointer, types.intp, types.float64)],
)


def _of_one(builder: Any, pointer: Any, index: Any) -> Any:
    return builder.gep(pointer, [builder.mul(index, index.type(WIDTH))])


_teach(
    operator.getitem,
    lambda builder, pointer, index: builder.load(_of_one(builder, pointer, index)),
    [(types.float64, one_lane_pointer, types.intp)],
)
_teach(
    operator.setitem,
    lambda builder, pointer, index, value: builder.store(value, _of_one(builder, pointer, index)),
    [(types.none, one_lane_pointer, types.intp, types.float64)],
)


def aligned(rows: np.ndarray) -> np.ndarray:
    """The same where lines of memory begin: a vector that lies across two of them takes twice as long."""
    room = np.zeros(rows.nbytes + LINE, dtype=np.uint8)
    begin = -room.ctypes.data % LINE
    copy = room[begin : begin + rows.nbytes].view(rows.dtype).reshape(rows.shape)
    copy[...] = rows
    return copy


# --- choices and questions; as Python functions they are those of a single lane


def where(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` where the condition holds, lane by lane. Both are worked out."""
    return then if condition else otherwise


def some(condition: Any) -> bool:
    """Whether the condition holds in any lane."""
    return bool(condition)


def every(condition: Any) -> bool:
    """Whether the condition holds in all lanes."""
    return bool(condition)


def which(condition: Any) -> int:
    """The lanes in which the condition holds, as bits of a whole number."""
    return int(condition)


def lowest(bits: int) -> int:
    """The number of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1


def most(number: Any) -> Any:
    """The largest lane; NaN where any is."""
    return number


def one(number: Any) -> Any:
    """The first lane, for what is the same in all of them."""
    return number


def _gathered(builder: Any, number: Any) -> Any:
    """The largest of the lanes; a NaN once met is kept."""
    result = builder.extract_element(number, ir.Constant(_INT32, 0))
    for k in range(1, WIDTH):
        other = builder.extract_element(number, ir.Constant(_INT32, k))
        stays = builder.or_(builder.fcmp_ordered("<=", other, result), builder.fcmp_unordered("uno", result, result))
        result = builder.select(stays, result, other)
    return result


def _asked(sign: str, wanted: int) -> Callable[..., Any]:
    """A question about all bits of a mask at once."""

    def emit(builder: Any, condition: Any) -> Any:
        if condition.type != _BITS:
            return condition
        whole = ir.IntType(WIDTH)
        return builder.icmp_unsigned(sign, builder.bitcast(condition, whole), ir.Constant(whole, wanted))

    return emit


def _or_itself(emit: Callable[..., Any]) -> Callable[..., Any]:
    return lambda builder, number: emit(builder, number) if number.type == _DOUBLES else number


_FLOAT, _TRUTH = types.float64, types.boolean
_NUMBERS = (lanes, _FLOAT)
_teach(
    where,
    lambda builder, condition, then, otherwise: builder.select(condition, then, otherwise),
    [(_FLOAT, _TRUTH, _FLOAT, _FLOAT), *((lanes, mask, a, b) for a in _NUMBERS for b in _NUMBERS)],
)
_teach(some, _asked("!=", 0), [(_TRUTH, _TRUTH), (_TRUTH, mask)])
_teach(every, _asked("==", 2**WIDTH - 1), [(_TRUTH, _TRUTH), (_TRUTH, mask)])
_teach(
    which,
    lambda builder, condition: builder.zext(
        builder.bitcast(condition, ir.IntType(WIDTH)) if condition.type == _BITS else condition, ir.IntType(64)
    ),
    [(types.int64, mask)],
)
_teach(
    lowest,
    lambda builder, bits: builder.cttz(bits, ir.Constant(ir.IntType(1), 1)),
    [(types.int64, types.int64)],
)
_teach(most, _or_itself(_gathered), [(_FLOAT, _FLOAT), (_FLOAT, lanes)])
_teach(
    one,
    _or_itself(lambda builder, number: builder.extract_element(number, ir.Constant(_INT32, 0))),
    [(_FLOAT, _FLOAT), (_FLOAT, lanes)],
)
