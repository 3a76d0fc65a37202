"""What goes into a page, without a browser: what is kept, how exactly, in which colours, and what is refused."""

from __future__ import annotations

import base64
import colorsys
import json
import re
import zlib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from standing_run import standing

import taut
from taut.dynamics.trajectory import SAMPLED, Trajectory
from taut.output import palette
from taut.output.page.assembling import SCRIPTS, STYLES
from taut.output.page.content import kept_samples
from taut.output.page.embedding import quantised

PARTS = Path(str(files("taut.output.page") / "parts"))


def content_of(text: str) -> tuple[dict[str, Any], list[Any]]:
    """The document inside a page and its arrays, unpacked by another hand than the page's."""
    data = re.search(r'id="data">([^<]*)<', text)[1]
    raw = zlib.decompress(base64.b64decode(data))
    size = int.from_bytes(raw[:4], "little")
    document = json.loads(raw[4 : 4 + size])
    arrays = []
    for head in document["arrays"]:
        at, shape = 4 + size + head["at"], head["shape"]
        count = int(np.prod(shape))
        if head["kind"] in ("f8", "i4"):
            arrays.append(np.frombuffer(raw, f"<{head['kind']}", count, at).reshape(shape))
            continue
        width = int(head["kind"][1])
        planes = np.frombuffer(raw, np.uint8, count * width, at).reshape(width, count)
        words = planes.T.copy().view(f"<u{width}").reshape(shape)
        values = np.cumsum(words, axis=0, dtype=words.dtype).view(f"<{head['kind']}")
        if "scale" in head:
            rows = values.astype(float).reshape(-1, len(head["scale"]))
            values = (np.array(head["offset"]) + np.array(head["scale"]) * rows).reshape(shape)
        arrays.append(values)
    return document["content"], arrays


def lengthened(run: Trajectory, times: int) -> Trajectory:
    """The run with its samples repeated, at later times."""
    longer = {name: np.concatenate([getattr(run, name)] * times) for name in SAMPLED}
    longer["time"] = np.arange(longer["time"].size) * 0.01
    return replace(run, **longer)


def test_a_page_holds_what_the_run_holds(prism: Trajectory) -> None:
    content, arrays = content_of(taut.page(prism).html)
    (run,) = content["runs"]
    np.testing.assert_array_equal(arrays[run["time"]["array"]], prism.time)
    np.testing.assert_allclose(arrays[run["positions"]["array"]], prism.nodes, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(arrays[run["bar_force"]["array"]], prism.bar_force, rtol=1e-7)
    assert run["structure"]["nodes"] == list(prism.structure.nodes)
    assert run["facts"]["status"] == "finished"
    assert run["model"] == prism.model_text
    reaction, load = run["arrows"]
    np.testing.assert_allclose(arrays[reaction["forces"]["array"]], prism.reaction, rtol=1e-6)
    assert [run["structure"]["nodes"][k] for k in load["nodes"]] == ["top1"], "found by the model's text"
    np.testing.assert_allclose(arrays[load["forces"]["array"]][:, 0, 0], prism.load_force[:, 0], rtol=1e-6)
    masses = np.zeros(6)
    for bar in prism.structure.bars.values():
        masses[[list(prism.structure.nodes).index(n) for n in bar.nodes]] += bar.mass / 2.0
    middle = np.einsum("tni,n->ti", prism.nodes, masses) / masses.sum()
    np.testing.assert_allclose(arrays[run["centre"]["array"]], middle, atol=1e-6)


def test_the_policy_says_what_default_src_does_not_cover(tbar: Trajectory) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', taut.page(tbar).html)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert {name: rules[name] for name in ("default-src", "base-uri", "form-action")} == dict.fromkeys(
        ("default-src", "base-uri", "form-action"), "'none'"
    )


def test_the_icosahedrons_page_is_small() -> None:
    run = taut.simulate(taut.assemble(taut.generators.icosahedron()), 0.1, every=0.01)
    text = taut.page(run).html
    data = re.search(r'id="data">([^<]*)<', text)[1]
    assert len(text) - len(data) < 200_000, "a megabyte is the promise"


def test_long_runs_are_thinned_and_say_so(tbar: Trajectory) -> None:
    longer = lengthened(tbar, 30)
    peak = longer.energy_violation.copy()
    peak[1234] = -0.5  # between two samples that are kept
    longer = replace(longer, energy_violation=peak)
    kept = kept_samples(longer, 100)
    assert 1234 not in kept
    assert kept.size <= 101
    assert (kept[0], kept[-1]) == (0, longer.time.size - 1)
    content, arrays = content_of(taut.page(longer, frames=100).html)
    (run,) = content["runs"]
    assert run["kept"].startswith(
        f"{kept.size} of {longer.time.size} samples are in this page; charts of violations have the largest since"
    )
    violation = arrays[run["charts"][1]["series"][2]["values"]["array"]]
    assert violation.max() == 0.5
    np.testing.assert_array_equal(arrays[run["time"]["array"]], longer.time[kept])
    assert kept_samples(longer, None).size <= 2001


def test_thinned_runs_keep_the_peaks_of_contacts() -> None:
    """The impact of 1000 N is at sample 50 alone; every third is kept."""
    run = standing(101)
    state = run.contact_state.copy()
    state[50, 1] = 1.0  # b sticks in the impact
    run = replace(run, contact_state=state)
    kept = kept_samples(run, 35)
    assert 50 not in kept
    content, arrays = content_of(taut.page(run, frames=35).html)
    (entry,) = content["runs"]
    charts = {chart["name"]: {one["name"]: one for one in chart["series"]} for chart in entry["charts"]}
    floor = arrays[charts["Contact force"]["floor"]["values"]["array"]]
    whole = np.linalg.norm(run.contact_force[:, 0], axis=1)
    since = [whole[a:b].max() for a, b in zip([0, *kept[:-1] + 1], kept + 1, strict=True)]
    np.testing.assert_allclose(floor, since, rtol=1e-6)
    assert floor.max() == 1000.0
    assert arrays[charts["Contacts"]["sticking"]["values"]["array"]].max() == 2
    assert charts["Contact force"]["floor"]["steps"] == "since"
    assert "charts of contact force, contacts, violations have the largest since the sample before" in entry["kept"]
    whole = content_of(taut.page(run).html)[0]["runs"][0]["kept"]
    assert whole.startswith("All 101 samples"), "nothing is said of peaks where nothing is thinned"
    assert "peaks" not in whole


def test_big_runs_are_stored_in_sixteen_bits_within_what_is_said(
    tbar: Trajectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taut.output.page.content.FINE_NUMBERS", 0)
    content, arrays = content_of(taut.page(tbar).html)
    (run,) = content["runs"]
    off = np.abs(arrays[run["positions"]["array"]] - tbar.nodes).max()
    told = float(re.search(r"positions are within (\S+) m", run["kept"])[1])
    assert 0.5 * told < off < 1.5 * told
    assert off < np.ptp(tbar.nodes) / 65534
    tension = arrays[run["cable_tension"]["array"]]
    assert np.all((tension == 0.0) == (np.abs(tbar.cable_tension) < tbar.cable_tension.max() / 65534)), (
        "slack stays slack"
    )


def test_values_that_are_not_numbers_are_kept_apart() -> None:
    values = np.array([[0.0, 1.0], [np.nan, np.inf], [-4.0, 2.0]])
    levels, scale, offset = quantised(values, about_zero=True)
    back = np.where(levels == -32768, np.nan, offset + scale * levels)
    np.testing.assert_allclose(back, [[0, 1], [np.nan, np.nan], [-4, 2]], atol=1e-4)
    assert levels[0, 0] == 0
    levels, _, _ = quantised(np.full((2, 1), np.nan), about_zero=False)
    assert np.all(levels == -32768)


def test_runs_that_failed_at_once_are_shown_as_they_stand(tbar: Trajectory) -> None:
    empty = replace(tbar, **{name: getattr(tbar, name)[:0] for name in SAMPLED}, status="stopped: no step was possible")
    content, _ = content_of(taut.page(empty).html)
    assert content["runs"][0]["kind"] == "still"
    assert content["runs"][0]["facts"]["status"] == "stopped: no step was possible"


def test_a_structure_shows_the_tension_of_its_own_laws() -> None:
    content, arrays = content_of(taut.page(taut.generators.tbar()).html)
    tension = arrays[content["runs"][0]["cable_tension"]["array"]][0]
    cables = taut.generators.tbar().cables.values()
    positions = taut.generators.tbar().nodes
    expected = [
        c.stiffness * (np.linalg.norm(np.subtract(positions[c.route[1]], positions[c.route[0]])) - c.rest_length)
        for c in cables
    ]
    np.testing.assert_allclose(tension, expected, rtol=1e-6, atol=1e-6)


def test_what_cannot_be_shown_is_refused(tbar: Trajectory, tmp_path: Path) -> None:
    with pytest.raises(taut.OptionError, match="'tbar.nc' is a text, where a Structure, .* is wanted; taut.read reads"):
        taut.page("tbar.nc")
    with pytest.raises(taut.OptionError, match="not nothing"):
        taut.page([])
    with pytest.raises(taut.OptionError, match="frames must be at least 2, not 1"):
        taut.page(tbar, frames=1)
    with pytest.raises(
        taut.OptionError, match=r'mode "m": the displacement must have the shape \(4, 3\).*not \(2, 3\)'
    ):
        taut.page(tbar, modes=[taut.output.ModeShape("m", 1.0, np.zeros((2, 3)))])
    with pytest.raises(taut.OptionError, match=r"cable_tension must have the shape \(4,\), not \(3,\)"):
        taut.output.Still(tbar.structure, np.zeros(3))
    with pytest.raises(taut.FileError, match="does not exist"):
        taut.page(tbar, tmp_path / "no" / "page.html")


# --- the parts


def test_every_part_is_used_says_what_it_is_for_and_stays_short() -> None:
    assert {path.name for path in PARTS.iterdir()} == {*SCRIPTS, *STYLES, "index.html"}
    for name in (*SCRIPTS, *STYLES):
        text = (PARTS / name).read_text()
        assert text.startswith(("// ", "/* ")), name
        assert text.count("\n") < 300, name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|https?://", text), name


def test_scripts_import_only_what_comes_before_them() -> None:
    for place, name in enumerate(SCRIPTS):
        for other in re.findall(r'from "\./([a-z]+\.js)"', (PARTS / name).read_text()):
            assert other in SCRIPTS[:place], f"{name} imports {other}"


# --- colours


def themes() -> dict[str, dict[str, str]]:
    light, dark = re.findall(r"{([^}]*)}", (PARTS / "colours.css").read_text())
    return {
        name: dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", text))
        for name, text in (("light", light), ("dark", dark))
    }


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast_is_good_in_both_themes(theme: str) -> None:
    colours = themes()[theme]
    for ground in ("panel", "card", "scene"):
        for text in ("text", "muted", "good", "warn"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for mark in ("bar", "node", "load", "reaction", "push", "select", "unknown"):
        assert contrast(colours[mark], colours["scene"]) >= 2.9, mark
    assert contrast(colours["accent"], colours["accent-text"]) >= 4.5
    for line in lists("LINES")[theme]:
        assert contrast(line, colours["panel"]) >= 3.0, line
    assert contrast(lists("SCALES")[theme][0], colours["scene"]) >= 2.9


def lists(name: str) -> dict[str, list[str]]:
    text = (PARTS / "colours.js").read_text()
    block = re.search(rf"const {name} = {{(.*?)}};", text, re.DOTALL)[1]
    return {theme: re.findall(r"#[0-9a-f]{6}", row) for theme, row in re.findall(r"(light|dark): \[(.*?)\]", block)}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_scale_of_tensions_is_ordered_by_lightness_alone(theme: str) -> None:
    """So it is read in the right order in grey print and by those who see fewer colours."""
    stops = np.array([[int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)] for c in lists("SCALES")[theme]])
    fine = np.array([np.interp(np.linspace(0, 5, 101), range(6), stops[:, k]) for k in range(3)]).T
    sign = -1 if theme == "light" else 1  # away from the background
    for seen in (fine, deuteranope(fine)):
        lightness = np.array(
            [luminance("#" + "".join(f"{round(255 * p):02x}" for p in np.clip(c, 0, 1))) for c in seen]
        )
        lightness = 116 * np.cbrt(lightness) - 16
        steps = sign * np.diff(lightness)
        assert np.all(steps > -0.3)
        assert sign * (lightness[-1] - lightness[0]) > 35
    assert len({round(colorsys.rgb_to_hsv(*stop)[0], 1) for stop in stops}) > 2


def deuteranope(colours: np.ndarray) -> np.ndarray:
    """Colours without the middle cones (Vienot, Brettel and Mollon 1999, in linear light)."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    seen = linear @ np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]).T
    seen = np.clip(seen, 0, 1)
    return np.where(seen <= 0.0031308, 12.92 * seen, 1.055 * seen ** (1 / 2.4) - 0.055)


def test_plots_and_page_have_the_same_colours() -> None:
    assert list(palette.TENSION) == lists("SCALES")["light"]
    assert list(palette.LINES) == lists("LINES")["light"]
    light = themes()["light"]
    for name in ("BAR", "NODE", "SUPPORT", "PUSH", "UNKNOWN", "TEXT", "MUTED"):
        assert getattr(palette, name) == light[name.lower()], name


def test_places_that_are_not_known_do_not_count_as_the_origin(tbar: Trajectory) -> None:
    nodes = tbar.nodes + np.array([1000.0, 0.0, 0.0])
    nodes[100:] = np.nan
    content, _ = content_of(taut.page(replace(tbar, nodes=nodes)).html)
    low, high, size = content["runs"][0]["bounds"]
    assert low[0] > 990.0
    np.testing.assert_allclose(size, np.ptp(tbar.nodes[0], axis=0), atol=1e-9)
    assert high[0] < 1010.0
