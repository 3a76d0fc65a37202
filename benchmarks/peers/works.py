"""Further pieces of work, of benchmarks that stand alone, as rows: the T-bar, a stiff tower, sliding to a stop."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks import contact_against_mujoco as contact
from benchmarks import stiff_motion
from benchmarks.peers.in_scipy import InScipy
from benchmarks.peers.turns import Contestant, Entry, Row, at_equal_error, beside, errors_of, in_turn
from taut import Plant, assemble, read_model, simulate
from taut.structure.examples import example

TBAR_ERROR = 1e-10
"""[m]"""


def tbar(duration: float = 10.0, error: float = TBAR_ERROR, turns: int = 5) -> Row:
    """The T-bar of examples/tbar.yaml: taut against scipy on the same equations, at equal error."""
    plant = assemble(read_model(example("tbar")).structure)
    ours = partial(_end, plant, duration)
    exact = ours("dp8", 1e-13)
    start = plant.positions.reshape(-1, 3)
    compiled, plain = (InScipy(plant, start, np.zeros_like(start), compiled=one) for one in (True, False))
    tight = tuple(10.0 ** (-k / 2.0) for k in range(14, 27))
    contest = [
        Contestant("taut dp8, energy", partial(ours, "dp8"), tight),
        Contestant("taut dp5, energy", partial(ours, "dp5"), tight),
        Contestant(
            "scipy DOP853, taut's accelerations",
            partial(compiled.follow, "DOP853", duration),
            tight,
            "the compiled right-hand side of taut itself",
        ),
        Contestant(
            "scipy DOP853, numpy", partial(plain.follow, "DOP853", duration), tight, "as a user writes the equations"
        ),
    ]
    errors = [errors_of(one, exact) for one in contest]
    what = f"T-bar, {duration:g} s, error {error:.0e} m at the end"
    return at_equal_error("tbar", what, error, contest, errors, turns)


def _end(plant: Plant, duration: float, method: str, tolerance: float) -> np.ndarray:
    run = simulate(plant, duration, every=duration, method=method, tolerance=tolerance, verify=False)
    return run.nodes[-1]


def stiff(duration: float = 0.5, accuracy: float = stiff_motion.ACCURACY, turns: int = 3) -> Row:
    """A tower with steel cables that settles: implicit steps against scipy's Radau, at equal error of all samples."""
    results, _ = stiff_motion.measure(duration, ("implicit3", stiff_motion.RADAU), repeats=1, accuracy=accuracy)
    plant, times = stiff_motion.plant(), np.linspace(0.0, duration, 51)

    def ours(tolerance: float) -> object:
        options = {"method": "implicit3", "tolerance": tolerance, "verify": False}
        return simulate(plant, duration, every=duration / 50, **options)

    works = [
        partial(ours, results[0].tolerance),
        partial(stiff_motion.by_radau, plant, times, results[1].tolerance),
    ]
    names = ("taut implicit3", "scipy Radau, taut's accelerations")
    entries = beside(names, in_turn(works, turns), [1.0, 1.0])
    notes = ("", "its Jacobian by differences of taut's compiled accelerations, and dense")
    told = tuple(
        Entry(e.name, e.seconds, one.error, one.tolerance, e.ratios, note=note)
        for e, one, note in zip(entries, results, notes, strict=True)
    )
    what = f"stiff tower that settles, {duration:g} s, error {accuracy:.0e} m"
    return Row("stiff", what, "run", told, members=len(plant.structure.bars) + len(plant.structure.cables))


def sliding(
    steps: dict[str, tuple[float, ...]] | None = None,
    reference: float = contact.REFERENCE,
    settling: float = 8.0,
    turns: int = 5,
) -> Row:
    """The robot pushed along the floor: how far it gets, to a hundredth, by impulses and by MuJoCo's contacts."""
    made = contact.settled(settling)
    found = contact.slides(made, steps or contact.STEPS, reference=reference, turns=1)
    chosen = {}
    for engine in ("taut", "MuJoCo"):
        good = [one for one in found if one.engine == engine and one.error <= contact.ALLOWED]
        if good:
            chosen[engine] = min(good, key=lambda one: one.milliseconds)
    makers = {"taut": contact.taut_slide, "MuJoCo": contact.mujoco_slide}
    works = [makers[engine](made, one.step) for engine, one in chosen.items()]
    labels = {"taut": "taut impulses", "MuJoCo": "MuJoCo Euler"}
    entries = beside([labels[engine] for engine in chosen], in_turn(works, turns), [contact.DURATION] * len(works))
    notes = {
        "MuJoCo": "its contacts give way, as firm as steps allow, and are found by geometry; balls of 1 mm at the ends"
    }
    told = tuple(
        Entry(e.name, e.seconds, one.error, one.step, e.ratios, note=notes.get(engine, "hard contact, Coulomb's cone"))
        for e, (engine, one) in zip(entries, chosen.items(), strict=True)
    )
    what = "slides to a stop on the floor, way right to 1 % (error: of the way)"
    return Row("contact", what, "simulated second", told, members=30)
