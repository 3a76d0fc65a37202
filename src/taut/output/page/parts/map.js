// A map: a number of all postures over two inputs, the others as they are. Drag in it to move both.
import { gradient, named, rgb, scaleBytes } from "./colours.js";
import { quantity, ruler } from "./format.js";
import { NUMBERS } from "./posture.js";
import { element } from "./state.js";

const CELLS = 44; // along either side

/** The page of the panel and a function that brings it up to date; nothing for one input, or where there are no numbers. */
export function postureMap(run, state) {
  const { course: grid } = run;
  const known = Object.keys(NUMBERS).filter((name) => run.grid.numbers[name]);
  if (grid.axes.length < 2 || !known.length) return null;
  const pair = [0, 1]; // the inputs from left to right and from below to above
  let [shown, drawn] = [known[0], ""];
  const canvas = element("canvas", { width: CELLS, height: CELLS, role: "img" });
  const cursor = element("div", { kind: "place" });
  const plot = element("div", { kind: "map" }, canvas, cursor);
  const scale = element("div", { kind: "scale" });
  const ends = element("div", { kind: "ends" }, element("span"), element("span"));
  const choice = (words, entries, chosen, put) => {
    const list = element("select", { "aria-label": words }, ...entries.map(([value, text]) => element("option", { value, text })));
    list.value = chosen;
    list.addEventListener("change", () => {
      put(list.value);
      refresh();
    });
    return list;
  };
  const axes = grid.axes.map(({ name, unit, values }, k) => {
    const [low, high] = [values[0], values[values.length - 1]];
    const tell = ruler(low, high, unit);
    return [k, `${name}, ${tell(low)} to ${tell(high)}`];
  });
  const sides = ["From left to right", "From below to above"].map((words, side) => choice(words, axes, side, (value) => {
    const [chosen, before] = [Number(value), pair[side]];
    if (pair[1 - side] === chosen) pair[1 - side] = before; // they change places
    pair[side] = chosen;
    sides.forEach((list, k) => {
      list.value = pair[k];
    });
  }));
  const which = choice("What is shown", known.map((name) => [name, NUMBERS[name][0]]), shown, (name) => {
    shown = name;
  });
  const words = element("p", { kind: "small" });
  const page = element("div", {}, element("h2", { text: "Shown" }), which, scale, ends,
    element("div", { kind: "side" }, element("span", { text: "↑" }), sides[1]), plot, element("div", { kind: "side" }, element("span", { text: "→" }), sides[0]), words);

  const at = (axis, share) => grid.axes[axis].values[0] + share * grid.span(axis);

  function draw() {
    const [across, up] = pair;
    const samples = run.grid.numbers[shown];
    const { inputs } = state.values;
    const values = Float64Array.from({ length: CELLS * CELLS }, (_, k) => {
      const [column, row] = [k % CELLS, CELLS - 1 - Math.floor(k / CELLS)];
      const carried = grid.carry(inputs.with(across, at(across, (column + 0.5) / CELLS)).with(up, at(up, (row + 0.5) / CELLS)), grid.quick);
      return carried ? samples.mixed(carried) : NaN;
    });
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    const [bytes, line] = [scaleBytes(), rgb(named("text")).map((part) => 255 * part)];
    const picture = new ImageData(CELLS, CELLS);
    const crosses = (k, other) => Number.isFinite(values[other]) && values[k] > 0 !== values[other] > 0;
    values.forEach((value, k) => {
      if (!Number.isFinite(value)) return; // what lies under the map shows
      const level = Math.round((255 * (value - low)) / (high - low || 1));
      const zero = (k % CELLS && crosses(k, k - 1)) || (k >= CELLS && crosses(k, k - CELLS));
      picture.data.set(zero ? [...line, 255] : bytes.subarray(4 * level, 4 * level + 4), 4 * k);
    });
    canvas.getContext("2d").putImageData(picture, 0, 0);
    canvas.setAttribute("aria-label", `${NUMBERS[shown][0]} over ${grid.axes[across].name} and ${grid.axes[up].name}`);
    scale.style.background = gradient();
    [low, high].forEach((end, k) => {
      ends.children[k].textContent = quantity(end, NUMBERS[shown][1], 3, Math.max(Math.abs(low), Math.abs(high)));
    });
    const lost = values.some((value) => !Number.isFinite(value)) ? " Hatched: no posture." : "";
    const others = grid.axes.length > 2 ? "Other inputs are as they are. " : "";
    words.textContent = `${others}${low < 0 && high > 0 ? "The dark line is zero." : ""}${lost}`.trim();
  }

  function refresh() {
    const [across, up] = pair;
    const { inputs, theme } = state.values;
    const key = JSON.stringify([across, up, shown, theme, inputs.filter((_, k) => k !== across && k !== up)]);
    if (key !== drawn && !page.hidden) {
      drawn = key;
      draw();
    }
    const share = (axis) => (100 * (inputs[axis] - grid.axes[axis].values[0])) / grid.span(axis);
    Object.assign(cursor.style, { left: `${share(across)}%`, bottom: `${share(up)}%` });
  }

  const point = (event) => {
    if (event.type === "pointerdown") plot.setPointerCapture(event.pointerId);
    else if (!plot.hasPointerCapture(event.pointerId)) return;
    const box = canvas.getBoundingClientRect();
    const share = (value) => Math.min(1, Math.max(0, value));
    const [across, up] = pair;
    const [x, y] = [share((event.clientX - box.left) / box.width), share((box.bottom - event.clientY) / box.height)];
    state.put({ inputs: state.get("inputs").with(across, at(across, x)).with(up, at(up, y)), active: across });
  };
  plot.addEventListener("pointerdown", point);
  plot.addEventListener("pointermove", point);
  page.addEventListener("opened", refresh); // nothing is drawn that is not seen
  state.on(["theme"], refresh);
  return { page, refresh };
}
