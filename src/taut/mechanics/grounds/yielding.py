"""One contact with a ground that gives way: how it pushes, and how it rubs.

    normal force    N = k d (1 + r),   r = c d' / sqrt((k d)^2 + (c d')^2)

with the depth d and its rate d'. Near rest this is k d + c d'; but the damper never gives more than the spring does,
so that N is between 0 and 2 k d: it does not jump where something touches down, it never pulls, and it is smooth as
long as the contact is closed. Along the ground a bristle is bent by z:

    sticking   z' = v,   friction -(k z + c z')      sliding   z' such that k z + c z' = mu N t,   friction -mu N t

where t is the direction of T = k z + c v, and it slides where |T| > mu N. What slides moves with v - z' along t, so
that friction never gives energy. Nothing jumps: at |T| = mu N both are the same, and with N = 0 the bristle springs
back by itself. At a stage of an implicit step, z = z0 + s z', all of this is the same with z0 for z and c + s k for c.
"""

from __future__ import annotations

import math

from taut.numerics.compiled import inlined
from taut.numerics.lanes import every, where

HALVED = math.log(2.0)


@inlined
def pressed(k: float, c: float, depth: float, rate: float) -> tuple[float, float]:
    """N [N], and r."""
    spring, damper = k * depth, c * rate
    size = math.sqrt(spring * spring + damper * damper)
    share = where(size > 0.0, damper, 0.0) / where(size > 0.0, size, 1.0)
    return spring * (1.0 + share), share


@inlined
def resistance(k: float, c: float, share: float) -> float:
    """dN/d(depth) times k plus dN/d(rate) times c, for k and c that hold those factors already."""
    left = 1.0 - share * share
    return k * (1.0 + share * share * share) + c * left * math.sqrt(max(left, 0.0))


@inlined
def grip(static: float, kinetic: float, speed: float, threshold: float) -> float:
    """The coefficient of friction: the static one at rest, half way to the kinetic one at the threshold."""
    if every(static == kinetic):
        return kinetic
    slid = speed / threshold
    return kinetic + (static - kinetic) * math.exp(-HALVED * slid * slid)
