// The legend: what colours and arrows mean, with units.
import { gradient, lineColour, named } from "./colours.js";
import { number, quantity } from "./format.js";
import { element } from "./state.js";

const KINDS = {
  tension: ["Cable tension", "N"],
  density: ["Cable force density", "N/m"],
};

const WORDS = { load: "loads", reaction: "reactions" };

/** The largest value of a colouring over all runs and times, and whether cables are slack, push or are unknown. */
export function extremes(runs, colouring) {
  const found = { largest: 0, slack: false, pushing: false, unknown: false };
  for (const run of runs) {
    const { cable_tension: tension } = run;
    const lengths = colouring === "density" ? lengthsOf(run) : null;
    for (let row = 0; row < tension.rows; row++) {
      for (let k = 0; k < tension.width; k++) {
        const value = tension.at(row, k);
        if (Number.isNaN(value)) found.unknown = true;
        else if (value === 0) found.slack = true;
        else if (value < 0) found.pushing = true;
        const shown = lengths ? value / lengths(row, k) : value;
        if (shown > found.largest && Number.isFinite(shown)) found.largest = shown;
      }
    }
  }
  return found;
}

function lengthsOf(run) {
  const { pieces } = run.structure.cables;
  const p = run.positions;
  return (row, cable) => {
    let sum = 0;
    for (const at of run.route[cable]) {
      const [a, b] = [3 * pieces[at], 3 * pieces[at + 1]];
      sum += Math.hypot(p.at(row, a) - p.at(row, b), p.at(row, a + 1) - p.at(row, b + 1), p.at(row, a + 2) - p.at(row, b + 2));
    }
    return sum;
  };
}

function swatch(colour, words) {
  const mark = element("span", { kind: "swatch" });
  mark.style.background = colour;
  return element("li", {}, mark, element("span", { text: words }));
}

export function drawLegend(host, runs, look, gridStep) {
  const rows = [];
  const keys = element("ul");
  if (look.colouring !== "run" && look.range.largest > 0) {
    const [name, unit] = KINDS[look.colouring];
    const bar = element("div", { kind: "scale" });
    bar.style.background = gradient();
    const marks = element("div", { kind: "marks" }, ...[0, 0.5, 1].map((share) => {
      const mark = element("span", { text: number(share * look.range.largest, 3) });
      mark.style.left = `${100 * share}%`;
      return mark;
    }));
    rows.push(element("div", {}, element("b", { text: name }), ` [${unit}]`), bar, marks);
  }
  if (look.colouring !== "run") {
    if (look.range.slack) keys.append(swatch(`color-mix(in srgb, ${named("text")} 28%, ${named("scene")})`, "slack"));
    if (look.range.pushing) keys.append(swatch(named("push"), "pushing"));
    if (look.range.unknown) keys.append(swatch(named("unknown"), "tension unknown"));
  }
  for (const name of ["load", "reaction"]) {
    const largest = Math.max(0, ...runs.flatMap((run) => run.arrows.filter((a) => a.name === name).map((a) => a.largest)));
    if (largest > 0 && look[name]) keys.append(swatch(named(name), `${WORDS[name]}, longest ${quantity(largest, "N", 3)}`));
  }
  if (look.supports && runs.some((run) => run.structure.supports.length)) keys.append(swatch(named("support"), "supports"));
  if (look.grid && gridStep) keys.append(element("li", { text: `grid ${quantity(gridStep, "m")}` }));
  host.replaceChildren(...rows, keys);
}

/** The names of several runs with their colours. */
export function drawRunNames(host, runs) {
  host.hidden = runs.length < 2;
  host.replaceChildren(...runs.map((run) => swatch(lineColour(run.number), run.name)));
}
