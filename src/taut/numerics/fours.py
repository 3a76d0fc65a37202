"""Four numbers that stand side by side, worked on at once: what numba does not make of four single ones by itself.

`four` reads them from an array or a pointer and `put` writes them back; sums, differences and products are of each
number by itself, a single number counting four times. In lanes (`taut.numerics.lanes`) they are four rows of lanes. As
plain Python they are small arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from taut.numerics.lanes import WIDTH, lane_pointer, lanes

_INT32 = ir.IntType(32)


class FourType(types.Type):  # type: ignore[misc]
    """Four floats."""

    wide = 1

    def __init__(self) -> None:
        super().__init__(name=f"four{self.wide}")


class FourLanesType(FourType):
    """Four times as many floats as there are lanes."""

    wide = WIDTH


def _model(of: type[FourType]) -> FourType:
    class Model(models.PrimitiveModel):  # type: ignore[misc]
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, ir.VectorType(ir.DoubleType(), 4 * of.wide))

    register_model(of)(Model)
    return of()


_four, _four_lanes = _model(FourType), _model(FourLanesType)
_VECTORS = (types.CPointer(types.float64), types.Array(types.float64, 1, "C"))


def four(v: Any, at: int) -> Any:
    """The numbers v[at], v[at + 1], v[at + 2], v[at + 3]."""
    return np.array([v[at], v[at + 1], v[at + 2], v[at + 3]])


def put(v: Any, at: int, x: Any) -> None:
    """Write four numbers from v[at] on."""
    v[at], v[at + 1], v[at + 2], v[at + 3] = x


def reach(x: Any, y: Any, z: Any) -> Any:
    """The larger of x and |y z|, number by number"""
    return np.maximum(x, np.abs(y * z))


def none_of(x: Any) -> Any:
    """Four zeros, where there are four of x."""
    return 0.0 * np.arange(4.0)


def total(x: Any) -> Any:
    """The sum of the four."""
    return (x[0] + x[1]) + (x[2] + x[3])


def _teach(function: Any, emit: Callable[..., Any], cases: list[tuple[Any, ...]]) -> None:
    """Let numba know what a function does with these argument types; the first of each case is the result's."""
    signatures = [signature(*case) for case in cases]
    infer_global(function)(type(f"Four_{function.__name__}", (ConcreteTemplate,), {"cases": signatures}))
    for known in signatures:

        @lower_builtin(function, *known.args)  # type: ignore[untyped-decorator]
        def lower(context: Any, builder: Any, given: Any, args: Any) -> Any:
            data = [
                context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
                for kind, value in zip(given.args, args, strict=True)
            ]
            return emit(builder, lane_pointer in given.args, *data)


def _place(builder: Any, in_lanes: bool, data: Any, index: Any) -> Any:
    wide = WIDTH if in_lanes else 1
    start = builder.gep(data, [builder.mul(index, index.type(wide))])
    return builder.bitcast(start, ir.VectorType(ir.DoubleType(), 4 * wide).as_pointer())


def _load(builder: Any, in_lanes: bool, data: Any, index: Any) -> Any:
    return builder.load(_place(builder, in_lanes, data, index), align=8)


def _store(builder: Any, in_lanes: bool, data: Any, index: Any, x: Any) -> Any:
    return builder.store(x, _place(builder, in_lanes, data, index), align=8)


def _chosen(builder: Any, x: Any, places: list[int]) -> Any:
    mask = ir.Constant(ir.VectorType(_INT32, len(places)), places)
    return builder.shuffle_vector(x, ir.Constant(x.type, ir.Undefined), mask)


def _spread(builder: Any, m: Any) -> Any:
    """The same number, or row of lanes, four times."""
    if isinstance(m.type, ir.VectorType):
        return _chosen(builder, m, [*range(WIDTH)] * 4)
    nothing = ir.Constant(ir.VectorType(ir.DoubleType(), 4), ir.Undefined)
    return _chosen(builder, builder.insert_element(nothing, m, ir.Constant(_INT32, 0)), [0] * 4)


def _each(opcode: str) -> Callable[..., Any]:
    return lambda builder, in_lanes, x, y: getattr(builder, opcode)(x, y)


def _scaled(builder: Any, in_lanes: bool, m: Any, x: Any) -> Any:
    return builder.fmul(_spread(builder, m), x)


def _reach(builder: Any, in_lanes: bool, x: Any, y: Any, z: Any) -> Any:
    kind = ir.FunctionType(x.type, [x.type])
    size = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fabs.v{x.type.count}f64")
    other = builder.call(size, [builder.fmul(y, z)])
    return builder.select(builder.fcmp_ordered(">", other, x), other, x)


def _none_of(builder: Any, in_lanes: bool, x: Any) -> Any:
    return ir.Constant(x.type, [0.0] * x.type.count)


def _total(builder: Any, in_lanes: bool, x: Any) -> Any:
    if x.type.count == 4:
        parts = [builder.extract_element(x, ir.Constant(_INT32, k)) for k in range(4)]
    else:
        parts = [_chosen(builder, x, [*range(k * WIDTH, k * WIDTH + WIDTH)]) for k in range(4)]
    return builder.fadd(builder.fadd(parts[0], parts[1]), builder.fadd(parts[2], parts[3]))


_INDEX, _FLOAT = types.intp, types.float64
_teach(four, _load, [*((_four, kind, _INDEX) for kind in _VECTORS), (_four_lanes, lane_pointer, _INDEX)])
_teach(
    put,
    _store,
    [*((types.none, v, _INDEX, _four) for v in _VECTORS), (types.none, lane_pointer, _INDEX, _four_lanes)],
)
for _operator, _opcode in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul")):
    _teach(_operator, _each(_opcode), [(_four,) * 3, (_four_lanes,) * 3])
_teach(operator.mul, _scaled, [(_four, _FLOAT, _four), (_four_lanes, lanes, _four_lanes)])
_teach(reach, _reach, [(_four,) * 4, (_four_lanes,) * 4])
_teach(none_of, _none_of, [(_four, _four), (_four_lanes, _four_lanes)])
_teach(total, _total, [(_FLOAT, _four), (lanes, _four_lanes)])
