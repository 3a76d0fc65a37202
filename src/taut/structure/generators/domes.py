"""Cable domes: roofs of cables and flying posts, held by a ring of supports. Radial as Geiger built them, or staggered.

What carries the supports (a compression ring) is not part of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from taut.errors import OptionError
from taut.reprs import counted
from taut.structure.generators._dome_layouts import Shape, dome
from taut.structure.generators._parts import (
    Steelwork,
    prestressed,
    require_between,
    require_count,
    require_one_of,
    require_positive,
    require_room,
)
from taut.structure.structure import Structure

CENTRES = ("post", "ring")


def geiger_dome(
    sectors: int = 12,
    rings: int = 2,
    *,
    span: float = 40.0,
    rise: float | None = None,
    radii: Sequence[float] | None = None,
    heights: Sequence[float] | None = None,
    post_length: float | Sequence[float] | None = None,
    centre: str = "post",
    bar_radius: float = 0.1,
    bar_inner_radius: float = 0.092,
    bar_density: float = 7850.0,
    bar_youngs_modulus: float = 2.1e11,
    cable_radius: float = 0.025,
    cable_density: float = 7850.0,
    cable_youngs_modulus: float = 1.6e11,
    prestress: float = 8e5,
) -> Structure:
    """The cable dome of David Geiger: each sector a plane of ridge cables, diagonals and posts, tied by hoops. Axis z.

    A ring of posts stands on a hoop of cables. "ridge" cables run from the supports over the posts' upper ends to the
    centre, "diagonal" cables from each upper end (or support) to the lower end of the next post inside. In the
    centre stands a single post, or with centre "ring" the innermost of the `rings` has a second hoop, "crown", on top,
    and the dome stays open. It has one self-stress that looks the same in every sector, and is in balance as built.

    Rings count from the outermost: posts "post1.1" (ring, sector), nodes "upper1.1" and "lower1.1", cables
    "ridge1.1" and "diagonal1.1" (between ring 1 and the supports), "hoop1.1"; the centre post is the ring after the
    last: "post3", "upper3", "lower3" with two rings. Nodes "support1", ... are held. Groups: "support", "upper"
    (where a roof rests), "post", "ridge", "diagonal", "hoop", "crown".

    span: [m], across the supports, which are at height zero. rings: how many hoops.
    rise: [m], of the crown over the supports, a tenth of the span by default; upper ends are on the sphere of both.
    radii: [m], of the rings, outermost first; equal steps by default.
    heights: [m], of the upper ends over the supports, outermost first and the centre post last; instead of a rise.
    post_length: [m], of all posts or a list like heights; by default 1.5 times the rise (or the greatest height).
    bar_radius, bar_inner_radius: [m], of the posts. bar_density, cable_density: [kg/m^3].
    bar_youngs_modulus, cable_youngs_modulus: [Pa]. cable_radius: [m], of the solid section of every cable.
    prestress: [N], tension of the tightest cable, to which all others stand as the self-stress says.
    """
    shape = _shape(sectors, rings, span, rise, radii, heights, post_length, centre, staggered=False)
    stock = Steelwork(
        *(bar_radius, bar_inner_radius, bar_density, bar_youngs_modulus),
        *(cable_radius, cable_density, cable_youngs_modulus, prestress),
    )
    return _built("Geiger", shape, stock)


def levy_dome(
    sectors: int = 12,
    rings: int = 2,
    *,
    span: float = 40.0,
    rise: float | None = None,
    radii: Sequence[float] | None = None,
    heights: Sequence[float] | None = None,
    post_length: float | Sequence[float] | None = None,
    centre: str = "post",
    bar_radius: float = 0.1,
    bar_inner_radius: float = 0.092,
    bar_density: float = 7850.0,
    bar_youngs_modulus: float = 2.1e11,
    cable_radius: float = 0.025,
    cable_density: float = 7850.0,
    cable_youngs_modulus: float = 1.6e11,
    prestress: float = 8e5,
) -> Structure:
    """The cable dome of Matthys Levy: rings of posts staggered by half a sector, cables between them in triangles.

    From every post two "ridge" and two "diagonal" cables go to the ring outside, "ridge1.1a" and "ridge1.1b" and so on,
    which holds it sideways by their lengths where a `geiger_dome` has only its prestress. To a centre post goes one of
    each from every sector. Names, groups, parameters and the balance are otherwise those of `geiger_dome`. Posts have
    to stand inside the chords of the ring outside, so many rings need many sectors.
    """
    shape = _shape(sectors, rings, span, rise, radii, heights, post_length, centre, staggered=True)
    stock = Steelwork(
        *(bar_radius, bar_inner_radius, bar_density, bar_youngs_modulus),
        *(cable_radius, cable_density, cable_youngs_modulus, prestress),
    )
    return _built("Levy", shape, stock)


def _built(kind: str, shape: Shape, stock: Steelwork) -> Structure:
    rings = len(shape.radii) - shape.has_centre_post
    supports = {f"support{i}": "xyz" for i in range(1, shape.sectors + 1)}
    name = f"{kind} dome of {shape.sectors} sectors, {counted(rings, 'ring')}"
    return prestressed(name, dome(shape), stock, supports)


def _shape(
    sectors: int,
    rings: int,
    span: float,
    rise: float | None,
    radii: Sequence[float] | None,
    heights: Sequence[float] | None,
    post_length: float | Sequence[float] | None,
    centre: str,
    *,
    staggered: bool,
) -> Shape:
    require_count(3, sectors=sectors)
    require_count(1, rings=rings)
    require_room(sectors * rings, sectors=sectors, rings=rings)
    require_positive(span=span)
    require_one_of(CENTRES, centre=centre)
    radius = span / 2.0
    if radii is None:
        radii = [radius * (1.0 - ring / (rings + 1.0)) for ring in range(1, rings + 1)]
    places = [*_listed("radii", radii, rings, "a ring"), *([0.0] if centre == "post" else [])]
    each = "a ring and the centre post" if centre == "post" else "a ring"
    if heights is None:
        rise = span / 10.0 if rise is None else rise
        require_between(0.0, radius, rise=rise)
        heights = [_on_sphere(radius, rise, place) for place in places]
    elif rise is not None:
        raise OptionError("rise and heights both say how high the dome is; give one of them")
    tops = _listed("heights", heights, len(places), each)
    if post_length is None:
        post_length = 1.5 * (max(tops) if rise is None else rise)
    if isinstance(post_length, (int, float)):
        require_positive(post_length=post_length)
        post_length = [post_length] * len(places)
    posts = _listed("post_length", post_length, len(places), each)
    return Shape(sectors, radius, tuple(places), tops, posts, staggered)


def _listed(name: str, values: Iterable[float], count: int, each: str) -> tuple[float, ...]:
    listed = tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else ()
    if len(listed) != count:
        raise OptionError(f"{name} = {values!r} must be a list of {count} numbers, one for {each}, outermost first")
    for i, value in enumerate(listed):
        require_positive(**{f"{name}[{i}]": value})
    return tuple(float(value) for value in listed)


def _on_sphere(radius: float, rise: float, place: float) -> float:
    """Height at a distance from the axis, on the sphere through the circle of the supports and the crown."""
    ball = (radius**2 + rise**2) / (2.0 * rise)
    return math.sqrt(ball**2 - place**2) - (ball - rise)
