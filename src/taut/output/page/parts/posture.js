// What is told of a posture: whether it stands, where its plate is, all forces, and how far interpolation may be off.
import { number, prefixed, quantity, ruler, steady, vector } from "./format.js";
import { cross, subtract, unit } from "./maths.js";
import { facts, force } from "./panels.js";
import { element } from "./state.js";

const MOST_MEMBERS = 60; // in the list of forces
export const NUMBERS = {
  lowest_stiffness: ["lowest stiffness", "N/m"],
  plate_stiffness: ["least stiffness of the plate", "N/m"],
  dexterity: ["dexterity", ""],
};
const DEGREES = 180 / Math.PI;

/** What is known of the posture that is shown, as numbers. */
function told(run, moment, { inputs }) {
  const { axes, numbers, plate } = run.grid;
  const of = (name) => (moment.found && numbers[name] ? numbers[name].mixed(moment.carried) : NaN);
  return {
    inputs: axes.map(({ name, unit }, k) => ({ name, unit, value: inputs[k] })),
    found: moment.found,
    numbers: Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, of(name)])),
    plate: plate && { name: plate.name, ...pose(run, moment, plate.nodes) },
  };
}

/** stable, unstable, uncertain (the postures around differ, and a sign was wrong at such a size), unknown, none, or torn (between sheets). */
function standing(run, moment, { inputs }) {
  const { numbers, error } = run.grid;
  if (!moment.found) return run.course.surrounded(inputs) ? "torn" : "none";
  if (!numbers.lowest_stiffness) return "unknown";
  const lowest = numbers.lowest_stiffness.mixed(moment.carried);
  const signs = run.course.carry(inputs, [2]).rows.map((row) => numbers.lowest_stiffness.at(row) > 0);
  const agree = signs.every((sign) => sign === signs[0] && sign === lowest > 0);
  if (!agree && Math.abs(lowest) <= (error?.doubtful ?? Infinity)) return "uncertain";
  return lowest > 0 ? "stable" : "unstable";
}

const VERDICTS = {
  none: ["No posture was found here; the nearest one that was is shown, in grey.", "lost"],
  torn: ["The postures around here do not lead to one another: it leaps. The nearest one is shown, in grey.", "lost"],
  unknown: ["A posture; whether it is stable was not asked.", ""],
  uncertain: ["Stable or not: postures around it differ, and its lowest stiffness is too small to say.", "lost"],
  stable: ["Stable", "good"],
  unstable: ["Unstable", "bad"],
};

export function tellVerdict(host, run, moment, values) {
  const verdict = standing(run, moment, values);
  const [words, kind] = VERDICTS[verdict];
  const lowest = run.grid.numbers.lowest_stiffness;
  host.hidden = false;
  host.className = kind;
  const stiff = verdict === "stable" || verdict === "unstable" ? `: lowest stiffness ${quantity(lowest.mixed(moment.carried), "N/m", 3)}` : "";
  const text = words + stiff;
  if (host.textContent !== text) host.textContent = text;
}

/** Centre [m], tilt of its normal from z and how far it has turned from the start about x, y and z [deg]. */
function pose(run, moment, nodes) {
  const places = nodes.map((node) => moment.place(node));
  const centre = [0, 1, 2].map((i) => places.reduce((sum, at) => sum + at[i], 0) / places.length);
  const now = frame(places);
  const before = frame(nodes.map((node) => [0, 1, 2].map((i) => run.start[3 * node + i])));
  return { centre, tilt: DEGREES * Math.acos(Math.min(1, Math.abs(now[2][2]))), turned: turn(before, now).map((angle) => DEGREES * angle) };
}

/** The axes of a plate by its first three nodes. */
function frame([a, b, c]) {
  const x = unit(subtract(b, a));
  const z = unit(cross(x, subtract(c, a)));
  return [x, cross(z, x), z];
}

/** The rotation from one frame to another as a vector [rad]. */
function turn(before, now) {
  const entry = (i, j) => before.reduce((sum, axis, k) => sum + now[k][i] * axis[j], 0);
  const axis = [entry(2, 1) - entry(1, 2), entry(0, 2) - entry(2, 0), entry(1, 0) - entry(0, 1)].map((part) => part / 2);
  const [sine, cosine] = [Math.hypot(...axis), (entry(0, 0) + entry(1, 1) + entry(2, 2) - 1) / 2];
  const scale = sine > 1e-12 ? Math.atan2(sine, cosine) / sine : 1;
  return axis.map((part) => scale * part);
}

/** The page of the panel, a function that brings it up to date, and what it tells as numbers. */
export function posturePanel(run, moment, state) {
  const { axes, error, plate } = run.grid;
  const { cables, bars } = run.structure;
  const members = [
    ...cables.names.map((name, k) => [name, () => force(moment.tension[k])]),
    ...bars.names.map((name, k) => [name, () => force(moment.barForce[k])]),
  ];
  const shown = members.slice(0, MOST_MEMBERS);
  const tells = axes.map(({ unit, values }) => ruler(values[0], values[values.length - 1], unit));
  const rows = () => {
    const now = told(run, moment, state.values);
    const known = Object.entries(NUMBERS).filter(([name]) => run.grid.numbers[name]);
    const off = (name, factor) => (error && Number.isFinite(error[name]) && moment.found ? ` ± ${number(error[name] / factor, 3)}` : "");
    const about = (name, unit) => {
      const scale = prefixed(now.numbers[name], unit);
      return `${number(now.numbers[name] / scale.factor, 4)}${off(name, scale.factor)} ${scale.unit}`;
    };
    const lists = {
      Stiffness: known.map(([name, [words, unit]]) => [words, about(name, unit)]),
      Inputs: axes.map(({ name }, k) => [name, tells[k](now.inputs[k].value)]),
      ...(plate && {
        [`Plate ${plate.name}`]: [
          ["centre", vector(now.plate.centre, "m")],
          ["tilt from level", `${steady(now.plate.tilt, 2)}°`],
          ["turned about x, y, z", `${now.plate.turned.map((angle) => steady(angle, 2)).join(", ")}°`],
        ],
      }),
      Forces: shown.map(([name, value]) => [name, moment.found ? value() : "–"]),
    };
    return Object.entries(lists).filter(([, list]) => list.length);
  };
  const page = element("div");
  moment.show(state.values);
  for (const [title, list] of rows()) page.append(element("h2", { text: title }), facts(list));
  if (members.length > shown.length) page.append(element("p", { kind: "small", text: `${members.length - shown.length} members more: click one.` }));
  page.append(element("h2", { text: "Error" }), element("p", { kind: "small", id: "error", text: `${run.kept}.` }));
  const cells = [...page.querySelectorAll("dd")];
  const refresh = () => rows().flatMap(([, list]) => list).forEach(([, value], k) => {
    if (cells[k].textContent !== value) cells[k].textContent = value;
  });
  return { page, refresh, told: () => ({ ...told(run, moment, state.values), standing: standing(run, moment, state.values) }) };
}
