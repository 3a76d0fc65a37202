// The title and the panel: tabs, what is selected, the summary, view options and modes.
import { number, quantity, vector } from "./format.js";
import { inCases } from "./cases.js";
import { element } from "./state.js";
import { toggles } from "./toggles.js";

export function title(heading, below, { title: name, runs }) {
  const { nodes, bars, cables, plates } = runs[0].structure;
  const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const members = [counted(bars.names.length, "bar"), counted(cables.names.length, "cable"), ...(plates.names.length ? [counted(plates.names.length, "plate")] : [])];
  heading.textContent = name;
  document.title = `${name} – taut`;
  below.textContent = [counted(nodes.length, "node"), ...members].join(" · ");
}

export function tabs(bar, host, pages) {
  const shown = Object.entries(pages).filter(([, page]) => page);
  const buttons = shown.map(([name, page], k) => {
    const button = element("button", { text: name, role: "tab", id: `tab-${k}`, "aria-controls": `page-${k}` });
    Object.assign(page, { id: `page-${k}` });
    page.setAttribute("role", "tabpanel");
    page.setAttribute("aria-labelledby", button.id);
    button.addEventListener("click", () => open(name));
    return button;
  });
  const open = (wanted) => shown.forEach(([name, page], k) => {
    page.hidden = name !== wanted;
    buttons[k].setAttribute("aria-selected", name === wanted);
    if (name === wanted) {
      host.scrollTop = 0;
      page.dispatchEvent(new Event("opened"));
    }
  });
  bar.append(...buttons);
  host.append(...shown.map(([, page]) => page));
  open(shown[0][0]);
  return open;
}

export const facts = (rows) => element("dl", { kind: "facts" }, ...rows.flatMap(([name, value, kind]) => [
  element("dt", { text: name }), element("dd", { text: value, kind }),
]));

// --- summary

export function summary(content) {
  const page = element("div");
  for (const run of content.runs) {
    if (run.name) page.append(element("h2", { text: run.name }));
    const rows = Object.entries(run.facts).map(([name, value]) => {
      if (name === "status") return [name, value, run.finished ? "good" : "bad"];
      return [name, value];
    });
    page.append(facts(rows));
    if (run.model) page.append(element("details", {}, element("summary", { text: "Model file" }), element("pre", { text: run.model })));
  }
  page.append(element("h2", { text: "Provenance" }), facts([["made by", content.maker], ["written", content.written.replace("T", " ").replace("+00:00", " UTC")]]));
  return page;
}

/** How it was computed, and how well; charts of that come along. Nothing where nothing is known of it. */
export function numerics(runs, live) {
  const page = element("div");
  for (const run of runs) {
    const told = Object.entries(run.numerics);
    const kept = run.grid ? "" : run.kept; // postures have theirs beside their numbers
    if (run.name && (told.length || kept)) page.append(element("h2", { text: run.name }));
    if (told.length) page.append(facts(told));
    if (kept) page.append(element("p", { kind: "small", text: `${kept}.` }));
  }
  if (live) page.append(live);
  return page;
}

// --- selection

/** A card with the numbers of a node or member, and the function that brings it up to date. */
export function selectionCard(host, runs, moments, state) {
  let values = null;
  const refresh = () => {
    if (!values) return;
    const rows = read(runs[state.get("selection").run], moments[state.get("selection").run], state.get("selection"));
    rows.forEach(([, value], k) => {
      values[k].textContent = value;
    });
  };
  state.on(["selection", "charted"], ({ selection, charted }) => {
    host.hidden = !selection;
    values = null;
    if (!selection) return;
    const run = runs[selection.run];
    const { kind } = selection;
    const name = nameOf(run, selection);
    const rows = read(run, moments[selection.run], selection);
    const list = facts(rows);
    values = [...list.querySelectorAll("dd")];
    const choices = run.kind === "still" || run.cases ? [] : kind === "node" ? ["x", "y", "z"].map((axis) => ({ kind, name, axis })) : [{ kind, name }];
    const buttons = choices.map((one) => {
      const there = charted.find((other) => other.kind === one.kind && other.name === one.name && other.axis === one.axis);
      const what = one.axis ? `${one.axis} ` : "";
      return element("button", {
        text: there ? `Remove ${what}from chart` : `Add ${what}to chart`,
        "aria-pressed": Boolean(there) && "true",
        onclick: () => state.put({ charted: there ? charted.filter((other) => other !== there) : [...charted, one] }),
      });
    });
    host.replaceChildren(
      element("header", {}, element("h2", { text: name }), element("span", { kind: "small", text: run.name ? `${kind} of ${run.name}` : kind }),
        element("button", { kind: "close", text: "×", title: "Select nothing (Esc)", "aria-label": "Select nothing", onclick: () => state.put({ selection: null }) })),
      list, element("div", { kind: "row" }, ...buttons));
  });
  return refresh;
}

export function nameOf(run, { kind, index }) {
  const { nodes, bars, cables } = run.structure;
  return kind === "node" ? nodes[index] : kind === "bar" ? bars.names[index] : cables.names[index];
}

function read(run, moment, selected) {
  const driver = run.driven.find(({ kind, index }) => kind === selected.kind && index === selected.index);
  const told = run.cases ? inCases(run, moment, selected) : measured(moment, selected);
  return [...described(run, moment, selected), ...(driver ? [["driven by", driver.drive]] : []), ...told];
}

/** What was measured of a node or member, and how far that is off. */
function measured({ measured: found, ...moment }, { kind, index }) {
  if (!found?.rows(kind, index)) return [];
  if (kind === "node") {
    const at = found.place(index);
    const away = at && Math.hypot(...at.map((value, i) => value - moment.nodes[3 * index + i]));
    return [["measured", at ? vector(at, "m") : "not seen"], ["measured off by", at ? quantity(away, "m", 3) : "–"]];
  }
  const value = found.force[found.cell.get(`${kind} ${index}`)];
  const own = kind === "bar" ? moment.barForce[index] : moment.tension[index];
  return [["measured", force(value)], ["measured off by", Number.isFinite(value) ? quantity(value - own, "N", 3) : "–"]];
}

function described(run, moment, { kind, index }) {
  const { nodes, bars, cables, supports } = run.structure;
  if (kind === "node") {
    const at = [0, 1, 2].map((i) => moment.real[3 * index + i]);
    const moved = Math.hypot(...at.map((value, i) => value - run.start[3 * index + i]));
    const held = supports.find(({ node }) => node === index);
    return [
      ["position", vector(at, "m")],
      ["moved", quantity(moved, "m", 3)],
      ["held along", held ? held.axes.split("").join(", ") : "nothing"],
      ...acting(run, moment, index),
    ];
  }
  if (kind === "bar") {
    const length = moment.barLength(index);
    return [
      ["force", force(moment.barForce[index])],
      ["length", quantity(length, "m", 5)],
      ["force density", quantity(moment.barForce[index] / length, "N/m")],
      ["mass", bars.mass[index] ? quantity(bars.mass[index], "kg") : "–"],
      ["nodes", [0, 1].map((end) => nodes[bars.ends[2 * index + end]]).join(" – ")],
    ];
  }
  const route = run.route[index];
  const length = moment.cableLength(index);
  const passed = [cables.pieces[route[0]], ...route.map((at) => cables.pieces[at + 1])];
  return [
    ["tension", force(moment.tension[index])],
    ["length", quantity(length, "m", 5)],
    ["rest length", quantity(cables.rest_length[index], "m", 5, length)],
    ["force density", quantity(moment.density[index], "N/m")],
    ["stiffness", cables.stiffness[index] ? quantity(cables.stiffness[index], "N/m") : "–"],
    ["nodes", passed.map((node) => nodes[node]).join(" – ")],
  ];
}

/** Loads, reaction and contact forces at a node. */
function acting(run, moment, node) {
  return run.arrows.flatMap(({ name, nodes, others }, k) => {
    const sum = [0, 0, 0];
    const found = nodes.flatMap((at, row) => (at === node && (others?.[row] ?? node) === node ? [row] : []));
    for (const row of found) for (let i = 0; i < 3; i++) sum[i] += moment.arrows[k][3 * row + i];
    return found.length ? [[name, moment.acted ? vector(sum, "N") : "–"]] : [];
  });
}

export function force(value) {
  if (!Number.isFinite(value)) return "–";
  return `${quantity(value, "N")}${value < 0 ? " (pushes)" : value === 0 ? " (slack)" : ""}`;
}

// --- view

const COLOURINGS = { tension: "Tension", density: "Force density", utilisation: "Utilisation", run: "Run" };
const DIRECTIONS = { askew: "Askew", along_x: "Along x", along_y: "Along y", from_above: "From above" };

function choices(state, key, entries, chosen) {
  const buttons = entries.map(([value, text]) => element("button", { text, onclick: () => chosen(value) }));
  if (key) {
    state.on([key], (values) => entries.forEach(([value], k) => buttons[k].setAttribute("aria-pressed", values[key] === value)));
  }
  return element("div", { kind: "choices" }, ...buttons);
}

export function viewOptions(runs, state, { turn, find }) {
  const colourings = Object.entries(COLOURINGS).filter(([name]) => (name !== "run" || runs.length > 1) && (name !== "utilisation" || runs[0].utilisation));
  const search = element("input", { type: "search", placeholder: "Name of a node, bar or cable", "aria-label": "Find by name" });
  const answer = element("p", { kind: "small", "aria-live": "polite" });
  search.addEventListener("change", () => {
    answer.textContent = !search.value || find(search.value) ? "" : "Nothing has this name.";
  });
  return element("div", {},
    element("h2", { text: "Coloured by" }), choices(state, "colouring", colourings, (colouring) => state.put({ colouring })),
    element("h2", { text: "Shown" }), toggles(runs, state),
    element("h2", { text: "Look" }), choices(state, null, Object.entries(DIRECTIONS), turn),
    element("h2", { text: "Find" }), search, answer);
}

// --- modes

export function modeList(run, state) {
  if (!run.modes.length) return null;
  const words = ({ name, frequency }) => (frequency === null ? name : `${name} · ${quantity(frequency, "Hz", 3)}`);
  const entries = [["none", "At rest"], ...run.modes.map((mode, k) => [String(k), words(mode)])];
  const size = element("input", { type: "range", min: 0, max: 0.3, step: 0.005, "aria-label": "Size of the motion" });
  const told = element("p", { kind: "small" });
  size.addEventListener("input", () => state.put({ swing: Number(size.value) }));
  state.on(["swing"], ({ swing }) => {
    size.value = swing;
    told.textContent = `Largest displacement ${number(100 * swing, 3)} % of the size of the structure. Every mode swings once in two seconds here, whatever its frequency.`;
  });
  return element("div", {}, element("h2", { text: "Mode" }), choices(state, "mode", entries, (mode) => state.put({ mode })),
    element("h2", { text: "Size of the motion" }), size, told);
}

export function nextMode(run, mode) {
  const next = mode === "none" ? 0 : Number(mode) + 1;
  return next < run.modes.length ? String(next) : "none";
}
