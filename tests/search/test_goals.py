"""Goals are statistics with the right errors; limits and failed copies count as violations."""

import numpy as np
import pytest

from taut.errors import OptionError
from taut.search.goals import COLUMN, MEASURES, Goal, Limit, Objective, objective_from


def copies(count: int, seed: int = 0, **columns: tuple[float, float]) -> np.ndarray:
    """Normal numbers by name: mean and deviation."""
    draw = np.random.default_rng(seed)
    found = np.ones((count, len(MEASURES)))
    for name, (mean, spread) in columns.items():
        found[:, COLUMN[name]] = mean + spread * draw.standard_normal(count)
    return found


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        (Goal("distance"), 4.0),
        (Goal("distance", deviations=1.0), 3.0),
        (Goal("distance", quantile=0.1), 4.0 - 1.2816),
        (Goal("slip", quantile=0.1), 2.0 + 1.2816 * 0.5),
        (Goal("slip", deviations=2.0), 3.0),
        (Goal("along", (0.0, 2.0, 0.0)), 1.5),
        (Goal("cost_of_transport"), 0.5),
    ],
    ids=lambda value: value.words if isinstance(value, Goal) else "",
)
def test_a_score_is_off_by_its_standard_error(goal: Goal, expected: float) -> None:
    """Over 400 draws of 64 copies: the error that is told is that of the values, to a fifth."""
    told = {"distance": (4.0, 1.0), "slip": (2.0, 0.5), "y": (1.5, 0.3), "energy": (10.0, 2.0), "carried": (20.0, 3.0)}
    scores = [goal.score(copies(64, seed, **told)) for seed in range(400)]
    values, errors = np.array([one.value for one in scores]), np.array([one.error for one in scores])
    assert abs(values.mean() - expected) < 0.1 * max(values.std(), 0.01) * 4.0
    assert errors.mean() == pytest.approx(values.std(), rel=0.2)


def test_failed_copies_are_left_out_and_count_as_a_violation() -> None:
    told = copies(8, distance=(3.0, 0.0))
    told[:2] = np.nan
    assert Goal().score(told).value == pytest.approx(3.0)
    assert Goal().score(told).copies == 6
    assert Objective().violation(told) == pytest.approx(0.25)
    assert Objective().violation(np.full_like(told, np.nan)) == np.inf
    assert np.isnan(Objective().costs(np.full_like(told, np.nan))).all()


def test_a_limit_is_passed_by_a_part_of_it() -> None:
    told = copies(8, peak_tension=(150.0, 0.0))
    assert Objective(limits=(Limit("peak_tension", 100.0),)).violation(told) == pytest.approx(0.5)
    assert Objective(limits=(Limit("peak_tension", 200.0),)).violation(told) == 0.0


def test_an_objective_comes_back_from_its_data() -> None:
    one = Objective((Goal("along", (0.0, 1.0, 0.0), quantile=0.1), Goal("energy")), (Limit("peak_power", 50.0),))
    assert objective_from(one.data()) == one


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Goal("distanse"), 'goal "distanse" is not one of .* did you mean "distance"'),
        (lambda: Goal("along", (0.0, 0.0, 0.0)), "has no direction"),
        (lambda: Goal(quantile=1.5), "quantile = 1.5 must be between 0 and 1"),
        (lambda: Goal(quantile=0.5, deviations=1.0), "not both"),
        (lambda: Goal("cost_of_transport", deviations=1.0), "has no spread"),
        (lambda: Limit("tension", 3.0), 'limit "tension" is not one of peak_tension'),
        (lambda: Limit("peak_power", 0.0), "must be more than zero"),
        (lambda: Objective(()), "needs a goal"),
    ],
)
def test_bad_goals(make, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        make()
