"""Frequencies of both machines' linear models beside what rings in runs after the spline's second derivative jumps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from taut.control.linearising import linearise
from taut.mechanics.trees.plant import tree_plant
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about
from taut.papers.paper import Picture
from taut.papers.pulleys.controlled_runs import Controlled, begun
from taut.papers.pulleys.manipulator_cases import Law, law_of, manipulator_task, settling_task
from taut.papers.pulleys.strut_cases import kicked_task, still_torques, strut_of
from taut.structure.generators.pulleys import manipulator
from taut.structure.trees import Tree

LOWEST = 5.0
"""[Hz] Below it lies what the path itself asks for."""


def ringing(time: np.ndarray, signal: np.ndarray) -> float:
    """[Hz] of the largest peak of a signal less a cubic, at even times."""
    from scipy.interpolate import interp1d

    even = np.linspace(time[0], time[-1], time.size)
    values = interp1d(time, signal)(even)
    s = np.linspace(-1.0, 1.0, even.size)
    left = (values - np.polynomial.Polynomial.fit(s, values, 3)(s)) * np.hanning(even.size)
    heights = np.abs(np.fft.rfft(left, 16 * even.size))
    frequencies = np.fft.rfftfreq(16 * even.size, even[1] - even[0])
    heights[frequencies < LOWEST] = 0.0
    return float(frequencies[np.argmax(heights)])


def frequencies(tree: Tree, torques: np.ndarray) -> np.ndarray:
    """[Hz] natural ones above LOWEST, with torques that are held, the lowest first."""
    plant = tree_plant(tree)
    names = plant.equations.input_names
    model = linearise(tree_plant(tree, torques=dict(zip(names, torques.tolist(), strict=True))))
    found = np.sort(np.abs(model.poles[model.poles.imag > 0.0]) / (2.0 * np.pi))
    return np.asarray(found[found > LOWEST])


def _beside(run: Controlled, first: float, last: float, model: np.ndarray) -> Measured:
    inside = (run.time > first) & (run.time < last)
    rings = ringing(run.time[inside], run.strain[inside, -1])
    nearest = float(model[np.argmin(np.abs(model - rings))])
    return Measured(
        rings / nearest,
        beside={
            "rings in the run [Hz]": rings,
            "nearest of the model [Hz]": nearest,
            "of the model, lowest [Hz]": float(model[0]),
            "of the model, highest [Hz]": float(model[-1]),
        },
    )


def _strut(modulus: float) -> Callable[[Bench], Measured]:
    def measure(bench: Bench) -> Measured:
        run: Controlled = bench.made(kicked_task(modulus))
        return _beside(run, 0.0, 0.3, frequencies(strut_of(modulus), still_torques(modulus)))

    return measure


def _manipulator(bench: Bench) -> Measured:
    settled: Controlled = bench.made(settling_task())
    still = begun(manipulator(), settled.end[0], np.zeros_like(settled.end[1]))
    torques = law_of(Law(), None)(0.0, settled.end[0], np.zeros_like(settled.end[1]))
    return _beside(bench.made(manipulator_task("z")), 5.0, 5.5, frequencies(still, torques))


CLAIMS = (
    *(
        Claim(
            f"ringing-strut-{modulus:.0e}".replace("+", ""),
            "Figs. 5.10 and 5.11",
            f"Strains ring after the knot at 1 s, with E = {modulus / 1e6:g} MPa: over a frequency of the model.",
            1.0,
            "ratio",
            about(0.05),
            _strut(modulus),
            tasks=(kicked_task(modulus),),
        )
        for modulus in (2e9, 2e10)
    ),
    Claim(
        "ringing-manipulator",
        "Fig. 5.13",
        "Strains ring after the knot at 5 s of z: over a frequency of the model.",
        1.0,
        "ratio",
        about(0.05),
        _manipulator,
        tasks=(manipulator_task("z"),),
    ),
)

PICTURES: tuple[Picture, ...] = ()
