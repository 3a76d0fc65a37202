// Load cases: which is shown, how large its displacements are drawn, and what is told of it.
import { number, prefixed, quantity, vector } from "./format.js";
import { element } from "./state.js";
import { toggles } from "./toggles.js";

const ENLARGED = [0, ...[1, 10, 100, 1000, 10000].flatMap((ten) => [1, 2, 5].map((part) => part * ten))];
const SEEN_AS = 0.05; // of the structure's size, what the largest displacement of all cases is drawn as at first, at most
const MOST_IN_TABLE = 30; // of a table
const XYZ = [0, 1, 2];

const percent = (value) => (Number.isFinite(value) ? `${number(100 * value, 3)} %` : "–");

function displacement(run, row, node) {
  return XYZ.map((i) => run.positions.at(row, 3 * node + i) - run.start[3 * node + i]);
}

/** The place and value that is largest by a measure; null where none is known. */
function largestOf(count, measure) {
  let best = null;
  for (let k = 0; k < count; k++) {
    const value = measure(k);
    if (Number.isFinite(value) && (!best || value > best.value)) best = { k, value };
  }
  return best;
}

/** How many times as large displacements are drawn at first: the real size where that is seen. */
export function firstScale(run, size) {
  let largest = 0;
  for (let row = 0; row < run.positions.rows; row++) {
    largest = Math.max(largest, largestOf(run.structure.nodes.length, (k) => Math.hypot(...displacement(run, row, k)))?.value ?? 0);
  }
  return ENLARGED.findLast((one) => one * largest <= SEEN_AS * size) || 1;
}

/** Chooses cases where runs have time: a list of them, and a slider for displacements. */
export class Cases {
  constructor(host, run, state) {
    Object.assign(this, { run, state });
    this.list = element("select", { "aria-label": "Load case", title: "Load case (arrow keys)" }, ...run.cases.told.map(({ name }, k) => element("option", { value: k, text: name })));
    this.list.addEventListener("change", () => {
      this.list.blur(); // or it would take the keys
      state.put({ loadCase: Number(this.list.value) });
    });
    const slider = element("input", { type: "range", min: 0, max: ENLARGED.length - 1, step: 1, "aria-label": "Displacements drawn larger" });
    slider.addEventListener("input", () => state.put({ enlarged: ENLARGED[Number(slider.value)] }));
    const told = element("output");
    const buttons = ["‹", "›"].map((text, side) => element("button", { text, "aria-label": side ? "Next load case" : "Load case before", onclick: () => this.step(side ? 1 : -1) }));
    const name = (text) => element("span", { kind: "name", text });
    host.hidden = false;
    host.append(
      element("div", { kind: "input" }, name("Load case"), this.list, element("span", { kind: "side" }, ...buttons)),
      element("div", { kind: "input" }, name("Displacements"), slider, told));
    state.on(["loadCase", "enlarged"], ({ loadCase, enlarged }) => {
      this.list.value = loadCase;
      slider.value = ENLARGED.findLastIndex((one) => one <= enlarged);
      told.textContent = enlarged ? `${number(enlarged, 6)}×` : "not drawn";
      slider.setAttribute("aria-valuetext", told.textContent);
    });
  }

  step(count) {
    const { length } = this.run.cases.told;
    this.state.put({ loadCase: (this.state.get("loadCase") + count + length) % length });
  }

  keys() {
    return [
      { keys: ["ArrowLeft", "ArrowRight"], words: "the load case before or after", act: (e) => this.step(e.key === "ArrowLeft" ? -1 : 1) },
      { keys: ["[", "]"], words: "displacements drawn smaller or larger", act: (e) => this.enlarge(e.key === "[" ? -1 : 1) },
    ];
  }

  enlarge(count) {
    const at = ENLARGED.findLastIndex((one) => one <= this.state.get("enlarged")) + count;
    this.state.put({ enlarged: ENLARGED[Math.min(ENLARGED.length - 1, Math.max(0, at))] });
  }
}

/** Rows of a member or node for its card: what it is asked for in each case. */
export function inCases(run, moment, { kind, index }) {
  const { told } = run.cases;
  const cables = run.cable_tension.width;
  if (kind === "node") return told.map(({ name }, row) => [`moved in ${name}`, vector(displacement(run, row, index), "m")]);
  const [forces, member] = kind === "bar" ? [run.bar_force, cables + index] : [run.cable_tension, index];
  const used = (row) => (Number.isFinite(run.utilisation?.at(row, member)) ? `, ${percent(run.utilisation.at(row, member))}` : "");
  return [
    ...(run.utilisation ? [["utilisation", percent(moment.share[member])]] : []),
    ...told.map(({ name }, row) => [`in ${name}`, `${quantity(forces.at(row, index), "N")}${used(row)}`]),
  ];
}

/** A table whose first column names what a press selects. */
function tableOf(heads, rows, select) {
  const cut = rows.slice(0, MOST_IN_TABLE);
  return [
    element("table", {},
      element("tr", {}, ...heads.map((text) => element("th", { text }))),
      ...cut.map(([thing, name, ...cells]) => element("tr", {},
        element("td", {}, element("button", { kind: "plain", text: name, onclick: () => select(thing) })), ...cells.map((text) => element("td", { text }))))),
    ...(rows.length > cut.length ? [element("p", { kind: "small", text: `${rows.length - cut.length} more: click one in the picture.` })] : []),
  ];
}

/** The page of the panel: the case that is shown, its extremes, members by how much is asked of them, reactions and loads. */
export function casePanel(run, state) {
  const host = element("div");
  const page = element("div", {}, toggles([run], state, ["load", "reaction", "unloaded"]), host);
  const { nodes, bars, cables } = run.structure;
  const count = cables.names.length;
  const names = [...cables.names, ...bars.names];
  const thing = (k) => (k < count ? { kind: "cable", index: k } : { kind: "bar", index: k - count });
  const select = (chosen) => state.put({ selection: { run: run.number, ...chosen } });

  function at(row) {
    const { name, status, balanced, notes } = run.cases.told[row];
    const force = (k) => (k < count ? run.cable_tension.at(row, k) : run.bar_force.at(row, k - count));
    const used = (k) => run.utilisation?.at(row, k) ?? NaN;
    const moved = largestOf(nodes.length, (k) => Math.hypot(...displacement(run, row, k)));
    const [pull, push, worst] = [force, (k) => -force(k), used].map((measure) => largestOf(names.length, measure));
    const extremes = [
      ["status", status, balanced ? "good" : "bad"],
      ...(moved ? [["largest displacement", `${quantity(moved.value, "m")}, ${nodes[moved.k]}`]] : []),
      ...(pull?.value > 0 ? [["largest tension", `${quantity(pull.value, "N")}, ${names[pull.k]}`]] : []),
      ...(push?.value > 0 ? [["largest compression", `${quantity(push.value, "N")}, ${names[push.k]}`]] : []),
      ...(worst ? [["largest utilisation", `${percent(worst.value)}, ${names[worst.k]}`, worst.value > 1 ? "bad" : ""]] : []),
    ];
    const slack = cables.names.filter((_, k) => force(k) === 0);
    if (slack.length) extremes.push(["slack", slack.length > 6 ? `${slack.length} cables` : slack.join(", ")]);
    const weight = (k) => (Number.isFinite(used(k)) ? 1e30 * used(k) : Math.abs(force(k))); // first those whose limits are known
    const order = names.map((_, k) => k).sort((a, b) => weight(b) - weight(a));
    const members = order.map((k) => [thing(k), names[k], quantity(force(k), "N"), ...(run.utilisation ? [percent(used(k))] : [])]);
    const largest = (arrow) => largestOf(arrow.nodes.length, (k) => Math.hypot(...XYZ.map((i) => arrow.forces.at(row, 3 * k + i))))?.value || 1;
    const arrows = run.arrows.filter(({ largest: any }) => any > 0).map((arrow) => {
      const { factor, unit } = prefixed(largest(arrow), "N", 3);
      const told = (values) => values.map((value) => number(Math.abs(value) < 1e-6 * largest(arrow) ? 0 : value / factor, 4));
      const sum = XYZ.map((i) => arrow.nodes.reduce((all, _, k) => all + arrow.forces.at(row, 3 * k + i), 0));
      const rows = arrow.nodes.map((node, k) => [{ kind: "node", index: node }, nodes[node], ...told(XYZ.map((i) => arrow.forces.at(row, 3 * k + i)))]);
      return [
        element("h2", { text: `${arrow.name === "load" ? "Loads and weight" : "Reactions"} [${unit}]` }),
        element("p", { kind: "small", text: `Together ${told(sum).join(", ")} ${unit}` }),
        ...tableOf(["node", "x", "y", "z"], rows, select),
      ];
    });
    const facts = element("dl", { kind: "facts" }, ...extremes.flatMap(([term, value, kind]) => [element("dt", { text: term }), element("dd", { text: value, kind })]));
    host.replaceChildren(
      element("h2", { text: name }), facts, ...notes.map((text) => element("p", { kind: "small", text })),
      element("h2", { text: "Members" }), ...tableOf(["member", "force", ...(run.utilisation ? ["utilisation"] : [])], members, select), ...arrows.flat());
  }

  state.on(["loadCase"], ({ loadCase }) => at(loadCase));
  return page;
}
