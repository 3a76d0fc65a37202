// The legend: what colours and arrows mean, with units.
import { gradient, lineColour, named } from "./colours.js";
import { number, prefixed, quantity } from "./format.js";
import { element } from "./state.js";

const KINDS = {
  tension: ["Cable tension", "Bar compression", "N"],
  density: ["Cable force density", "Bar force density, pushing", "N/m"],
  utilisation: ["Utilisation of cables", "Utilisation of bars", "%"],
};

const MOST_RUNS = 12; // whose names are written
const WORDS = { load: "loads", reaction: "reactions", contact: "contact forces" };
const AT_REST = { load: "loads and weight" }; // of an equilibrium, whose forces at nodes are known as a whole

/** The largest values of a colouring over all runs and times, and whether cables are slack, push or are unknown. */
export function extremes(runs, colouring) {
  const found = { largest: 0, compression: 0, slack: false, pushing: false, unknown: false };
  for (const run of runs) {
    const { cable_tension: tension, utilisation } = run;
    const lengths = colouring === "density" ? lengthsOf(run) : null;
    const used = colouring === "utilisation";
    for (let row = 0; row < tension.rows; row++) {
      for (let k = 0; k < tension.width; k++) {
        const value = tension.at(row, k);
        const shown = used ? utilisation.at(row, k) : lengths ? value / lengths(row, k) : value;
        if (Number.isNaN(shown)) found.unknown = true;
        else if (value === 0) found.slack = true;
        else if (value < 0) found.pushing = true;
        if (shown > found.largest && Number.isFinite(shown)) found.largest = shown;
      }
    }
    const { bar_force: forces } = run;
    const { ends } = run.structure.bars;
    for (let row = 0; row < forces.rows; row++) {
      for (let k = 0; k < forces.width; k++) {
        const value = forces.at(row, k);
        const push = used ? utilisation.at(row, tension.width + k) : lengths ? -value / apart(run.positions, row, ends[2 * k], ends[2 * k + 1]) : -value;
        if (push > found.compression && Number.isFinite(push)) found.compression = push;
      }
    }
  }
  return found;
}

function lengthsOf(run) {
  const { pieces } = run.structure.cables;
  return (row, cable) => {
    let sum = 0;
    for (const at of run.route[cable]) sum += apart(run.positions, row, pieces[at], pieces[at + 1]);
    return sum;
  };
}

const apart = (p, row, a, b) => Math.hypot(...[0, 1, 2].map((i) => p.at(row, 3 * a + i) - p.at(row, 3 * b + i)));

function swatch(colour, words) {
  const mark = element("span", { kind: "swatch" });
  mark.style.background = colour;
  return element("li", {}, mark, element("span", { text: words }));
}

function ring(colour, words) {
  const item = swatch("transparent", words);
  Object.assign(item.firstChild.style, { width: "11px", height: "11px", margin: "0 2.5px", boxSizing: "border-box", border: `3px solid ${colour}`, borderRadius: "50%" });
  return item;
}

/** A bar of colours with what they stand for. */
function scale(name, largest, colours, unit) {
  const bar = element("div", { kind: "scale" });
  const told = prefixed(largest, unit, 3);
  bar.style.background = colours;
  const marks = element("div", { kind: "marks" }, ...[0, 0.5, 1].map((share) => {
    const mark = element("span", { text: number((share * largest) / told.factor, 3) });
    mark.style.left = `${100 * share}%`;
    return mark;
  }));
  return element("div", { kind: "key" }, element("div", {}, element("b", { text: name }), told.unit && ` [${told.unit}]`), bar, marks);
}

export function drawLegend(host, runs, look, gridStep) {
  const rows = [];
  const keys = element("ul");
  if (look.colouring !== "run") {
    const [cables, bars, unit] = KINDS[look.colouring];
    const pushed = `linear-gradient(90deg, ${named("bar")}, ${named("compression")})`;
    const scales = [[cables, look.range.largest, gradient()], [bars, look.range.compression, pushed]];
    const whole = unit === "%" ? 100 : 1;
    rows.push(...scales.filter(([, largest]) => largest > 0).map(([name, largest, colours]) => scale(name, whole * largest, colours, unit)));
  }
  if (look.colouring !== "run") {
    if (look.range.slack) keys.append(swatch(`color-mix(in srgb, ${named("text")} 28%, ${named("scene")})`, "slack"));
    if (look.range.pushing) keys.append(swatch(named("push"), "pushing"));
    if (look.range.unknown) keys.append(swatch(named("unknown"), look.colouring === "utilisation" ? "utilisation of cables unknown" : "tension unknown"));
  }
  const [{ cases }] = runs;
  if (cases && look.enlarged !== 1) keys.append(element("li", { text: `displacements ${number(look.enlarged)}×` }));
  if (cases && look.unloaded) keys.append(swatch(named("muted"), "undeformed"));
  if (look.driven && runs.some((run) => run.driven.length)) keys.append(ring(named("load"), "driven"));
  for (const name of ["load", "reaction", "contact"]) {
    const largest = Math.max(0, ...runs.flatMap((run) => run.arrows.filter((a) => a.name === name).map((a) => a.largest)));
    const words = runs.every((run) => run.kind === "still" || run.cases) ? AT_REST[name] ?? WORDS[name] : WORDS[name];
    const more = runs.some((run) => run.arrows.some((arrow) => arrow.name === name && arrow.exceeded)) ? " and more" : "";
    if (largest > 0 && look[name]) keys.append(swatch(named(name), `${words}, longest ${quantity(largest, "N", 3)}${more}`));
  }
  if (look.footprints && look.ground && runs.some((run) => run.footprints.length)) keys.append(ring(named("contact"), "footprints"));
  if (look.measured && runs.some((run) => run.measured)) keys.append(swatch(named("measured"), "measured, lines to the nodes"));
  if (look.supports && runs.some((run) => run.structure.supports.length)) keys.append(swatch(named("support"), "supports"));
  const hidden = look.ground && runs.every((run) => run.grounds.length); // a ground lies over the grid
  if (look.grid && gridStep && !hidden) keys.append(element("li", { text: `grid ${quantity(gridStep, "m")}` }));
  host.replaceChildren(element("div", { kind: "scales" }, ...rows), keys);
}

/** The names of several runs with their colours, of many the first few: they lie over the picture. */
export function drawRunNames(host, runs) {
  host.hidden = runs.length < 2;
  const named = runs.slice(0, MOST_RUNS).map((run) => swatch(lineColour(run.number), run.name));
  for (const item of named) item.title = item.textContent;
  if (runs.length > MOST_RUNS) named.push(element("li", { text: `and ${runs.length - MOST_RUNS} more` }));
  host.replaceChildren(...named);
}
