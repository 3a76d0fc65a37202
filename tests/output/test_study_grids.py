"""The values of a study's keys: how they are told, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from taut.errors import OptionError
from taut.output.study.grid import axes_of, grid_of


def values(told: object) -> tuple:
    return grid_of({"k": told}).values[0]  # type: ignore[dict-item]


def test_ranges_hold_both_ends() -> None:
    assert values("100:200:5") == (100.0, 125.0, 150.0, 175.0, 200.0)
    assert values(" 2e-1 : -.2 : 3 ") == pytest.approx((0.2, 0.0, -0.2))
    assert values("7:7:1") == (7.0,)
    assert values("log:1:1000:4") == pytest.approx((1.0, 10.0, 100.0, 1000.0), rel=1e-14)
    assert values("log:0.3:7:9")[0] == 0.3
    assert values("log:0.3:7:9")[-1] == 7.0
    assert values("log:-8:-1:4") == pytest.approx((-8.0, -4.0, -2.0, -1.0))


def test_lists_are_numbers_or_texts() -> None:
    assert values("1,2.5,1e3") == (1.0, 2.5, 1000.0)
    assert values("5") == (5.0,)
    assert values("dp5, dp8") == ("dp5", "dp8")
    assert values("1,rk4") == ("1", "rk4"), "one text makes all of them texts"
    assert values("[0,0,1],[0, 0, 2]") == ("[0,0,1]", "[0, 0, 2]")
    assert values('{mass: 1},"a,b"') == ("{mass: 1}", '"a,b"')
    assert values([1, 2.5, np.float64(3.0), np.int32(4)]) == (1.0, 2.5, 3.0, 4.0)
    assert values(np.linspace(0.0, 1.0, 3)) == (0.0, 0.5, 1.0)
    assert values([True, False]) == ("true", "false")
    assert values(["dp5", 3]) == ("dp5", "3")


def test_points_are_numbered_with_the_last_key_fastest() -> None:
    grid = grid_of({"a": "1:2:2", "b": "x,y,z"})
    assert (grid.shape, grid.count) == ((2, 3), 6)
    assert [tuple(grid.at(k).values()) for k in range(3)] == [(1.0, "x"), (1.0, "y"), (1.0, "z")]
    assert grid.assignments(5) == ("a=2", "b=z")
    assert grid_of({"a": [0.1, 1e20]}).assignments(1) == ("a=1e+20",)
    assert grid_of({"a": [0.1, 1e20]}).assignments(0) == ("a=0.1",)


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ("1:2", '"1:2" is not begin:end:count; say how many values, too, as in 100:200:5'),
        ("1:2:3:4", '"1:2:3:4" is not begin:end:count, as in'),
        ("a:2:3", '"a:2:3" is not begin:end:count, as in'),
        ("1:inf:3", '"1:inf:3" is not begin:end:count'),
        ("log:1:2", '"log:1:2" is not begin:end:count; say how many'),
        ("1:2:0", 'the count "0" must be a whole number from 1 to 1000000'),
        ("1:2:-3", 'the count "-3" must be a whole number from 1'),
        ("1:2:2.5", 'the count "2.5" must be a whole number from 1'),
        ("1:2:9999999999999", 'the count "9999999999999" must be a whole number from 1 to 1000000'),
        ("1:2:1", "asks for one value with two ends; write k=1"),
        ("1:1:3", "k: the value 1 is there twice"),
        ("log:0:10:3", "equal ratios only if both ends are above zero"),
        ("log:-1:10:3", "equal ratios only if both ends are above zero"),
        ("", "k: has no values; give some, as in 100:200:5"),
        ("1,,2", 'k: has an empty value in "1,,2"'),
        ("1,2,1.0", "k: the value 1 is there twice"),
        ([], "k: has no values"),
        ([1.0, float("nan")], "k: the value nan is neither a finite number nor a text"),
        ([None], "k: the value None is neither"),
    ],
)
def test_values_that_are_refused(told: object, complaint: str) -> None:
    with pytest.raises(OptionError) as raised:
        values(told)
    assert complaint in str(raised.value)
    assert str(raised.value).startswith("k: ")


def test_too_many_points_are_counted() -> None:
    with pytest.raises(OptionError, match="2000 x 1000 = 2000000 points are more than the 1000000 a study may have"):
        grid_of({"a": "0:1:2000", "b": "0:1:1000"})
    assert grid_of({"a": "0:1:1000", "b": "0:1:1000"}).count == 1_000_000
    with pytest.raises(OptionError, match="needs a key and its values"):
        grid_of({})


def test_keys_on_the_command_line() -> None:
    assert axes_of(["a.b=1:2:3", "properties.cable:*.stiffness = 5"]) == {
        "a.b": "1:2:3",
        "properties.cable:*.stiffness": " 5",
    }
    for told in ("a.b", "=3", " =3"):
        with pytest.raises(OptionError, match="must be a key, an equals sign and values, as in 100:200:5"):
            axes_of([told])
    with pytest.raises(OptionError, match="a: is given twice; put all its values into one list"):
        axes_of(["a=1", "a=2"])
