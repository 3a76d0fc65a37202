// The Live tab: start, pause, what can be done to the structure, and what comes of it.
import { Chart } from "./chart.js";
import { lineColour } from "./colours.js";
import { number, quantity, ruler, steady } from "./format.js";
import { nameOf } from "./panels.js";
import { element } from "./state.js";

const PACES = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2];
const SINGLE_STEP = 1 / 60; // [s]
const TELL_EVERY = 150; // [ms]
const CHART_EVERY = 300; // [ms]
const PUSH = 0.1; // of what a slider goes over, for a key
const STIFFENED = [0.1, 4]; // of a stiffness, what a slider goes over
const CHARTED = 900; // samples that live charts show at most
const LISTED = 6; // events
const WOUND = [0.4, 1.4]; // of a rest length, what a slider goes over
const ENERGIES = [["kinetic", "kinetic"], ["elastic", "elastic"], ["gravity", "of weight"]];
const BALANCE = [["off", "unaccounted for"]];

/** A slider with a name and what it stands at. */
function slider(name, { least, most, value, unit, decimals }, moved) {
  const input = element("input", { type: "range", min: least, max: most, step: "any", "aria-label": name });
  const told = element("output");
  const words = decimals === undefined ? ruler(least, most, unit) : (now) => `${steady(now, decimals)} ${unit}`;
  const tell = (now) => {
    input.value = now;
    told.textContent = words(now);
    input.setAttribute("aria-valuetext", told.textContent);
  };
  input.addEventListener("input", () => {
    tell(Number(input.value));
    moved(Number(input.value));
  });
  tell(value);
  return { row: element("label", { kind: "lever" }, element("span", { kind: "name", text: name, title: name }), input, told), tell, value: () => Number(input.value) };
}

function download(name, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export class LivePanel {
  constructor(live, run, state, { keep, title }) {
    Object.assign(this, { live, run, state, told: 0, title });
    this.page = element("div", { kind: "live" });
    if (live.refused) {
      this.page.append(element("p", { kind: "bad", text: live.refused }), element("p", { kind: "small", text: "What was recorded still plays." }));
      return;
    }
    this.start = element("button", { kind: "main", onclick: () => this.toggle() });
    const step = element("button", { text: "Step", title: "One sixtieth of a second (.)", onclick: () => this.single() });
    const reset = element("button", { text: "Reset", title: "Begin again (R)", onclick: () => this.reset() });
    const pace = element("select", { "aria-label": "Speed of the live motion", title: "Speed" });
    for (const value of PACES) pace.append(element("option", { value, text: `${number(value)}×` }));
    pace.value = 1;
    pace.addEventListener("change", () => {
      live.speed = Number(pace.value);
      live.paced = [];
    });
    this.status = element("p", { kind: "status", role: "status" });
    this.doubt = element("p", { kind: "bad", hidden: true });
    this.pulled = element("p", { kind: "small" });
    this.chosen = element("div");
    this.levers = [];
    this.pushes = []; // of drives, by a share of what their sliders go over
    this.energy = new Chart({ name: "Energies", unit: "J", scale: "linear", empty: "" }, () => {});
    this.forces = new Chart({ name: "Force of what is selected", unit: "N", scale: "linear", empty: "click a bar or a cable" }, () => {});
    this.balance = new Chart({ name: "Energy of the live motion", unit: "J", scale: "linear", empty: "" }, () => {});
    this.events = element("ul", { kind: "happened" });
    this.page.append(
      element("div", { kind: "row" }, this.start, step, reset, pace), this.status, this.doubt, this.pulled,
      this.chosen, ...this.drives(), ...this.editing(), ...this.world(),
      element("h2", { text: "As it comes" }), this.energy.figure, this.forces.figure, element("h2", { text: "Events" }), this.events,
      element("h2", { text: "Keep" }),
      element("div", { kind: "row" },
        element("button", { text: "Keep the motion", title: "As a recorded one, to play and scrub", onclick: () => this.keep(keep) }),
        element("button", { text: "Save the log", title: "All that was done, for taut.live.replay", onclick: () => download(`${this.file()}.live.json`, live.actions()) }),
        element("button", { text: "As model", title: "The model as it stands now", onclick: () => download(`${this.file()}.yaml`, live.modelText()) })));
    const steps = live.given.adaptive ? `tolerance ${number(live.given.log.tolerance)}` : `steps of ${quantity(live.given.log.step, "s")}`;
    this.numerics = element("div", {}, this.balance.figure,
      element("p", { kind: "small", text: [`The simulator of taut itself, in this page: ${live.given.log.method}, ${steps}.`, ...live.given.told.map((one) => `${one}.`)].join(" ") }));
    state.on(["selection"], () => this.choose());
    state.on(["theme"], () => this.chart());
    for (const chart of [this.energy, this.balance]) new ResizeObserver(() => this.chart()).observe(chart.canvas);
    this.tell(true);
  }

  file() {
    return (this.title || "model").replace(/[^\w-]+/g, "_").slice(0, 60);
  }

  drives() {
    const { inputs } = this.live.given;
    if (!inputs.length) return [];
    return [element("h2", { text: "Drives" }), ...inputs.map((input, k) => {
      const key = k < 9 ? ` (${k + 1})` : "";
      const made = slider(`${input.name}, ${input.quantity}${key}`, { ...input, unit: input.unit }, (value) => this.live.drive(input.name, value));
      this.levers.push(() => made.tell(input.value));
      this.pushes.push((share) => {
        const value = Math.min(input.most, Math.max(input.least, made.value() + share * (input.most - input.least)));
        made.tell(value);
        this.go();
        this.live.drive(input.name, value);
      });
      return made.row;
    })];
  }

  /** Keys for gaits by hand: 1 to 9 wind a drive out, with shift in. */
  leverKeys() {
    if (!this.pushes.length) return [];
    const keys = Array.from({ length: Math.min(9, this.pushes.length) }, (_, k) => String(k + 1));
    return [{ keys, words: "live: a drive out by a tenth (with shift: in)", act: (event, key) => this.pushes[Number(key) - 1]((event.shiftKey ? -1 : 1) * PUSH) }];
  }

  /** Edit and look: let it settle, and see how weak it is. */
  editing() {
    this.settles = element("button", { text: "Let it settle", title: "Damped motion to rest (S)", onclick: () => this.letSettle() });
    this.hold = element("input", { type: "checkbox" });
    this.hold.addEventListener("change", () => this.hold.checked || this.live.drop());
    this.rested = element("p", { kind: "small", role: "status" });
    return [
      element("h2", { text: "Edit and look" }),
      element("div", { kind: "row" }, this.settles, element("label", { kind: "tick" }, this.hold, "hold a node where it is let go")),
      this.rested,
    ];
  }

  /** Whether a node stays in the hand when the pointer lets go of it. */
  holds() {
    return Boolean(this.hold?.checked);
  }

  letSettle() {
    if (this.live.ended) this.reset();
    this.go();
    if (this.live.settling) Object.assign(this.live, { settling: null });
    else this.live.letSettle();
    this.tell(true);
  }

  /** In words: whether it is at rest, and its weakest mode. */
  tellRest() {
    const { settling, rested, mode } = this.live;
    this.settles.textContent = settling ? "Stop settling" : "Let it settle";
    const words = settling ? `Settling: ${steady(this.live.time - settling.from, 2)} s of motion, stopped ${settling.stops} times.` : rested || "Wind, stiffen or move something, and let it settle: shape and tensions as they are at rest.";
    const weak = !mode || settling ? "" : mode.refused ?? (mode.frequency > 0 ? `Its weakest mode, which swings here, has ${quantity(mode.frequency, "Hz", 4)}.` : mode.frequency < 0 ? "It is unstable: what swings here grows by itself." : "It is loose: what swings here takes no force.");
    this.rested.textContent = `${words} ${weak}`.trim();
  }

  world() {
    const { live } = this;
    const { gravity, tilt, towards, damping } = live.world;
    const tilted = `${live.given.sloped ? "Additional tilt" : "Tilt"} of the ground`;
    const make = (name, key, options) => {
      const made = slider(name, options, (value) => live.setWorld({ [key]: value }));
      this.levers.push(() => made.tell(live.world[key]));
      return made.row;
    };
    return [
      element("h2", { text: "World" }),
      make("Gravity", "gravity", { least: 0, most: Math.max(20, 2 * gravity), value: gravity, unit: "m/s²", decimals: 2 }),
      make(tilted, "tilt", { least: 0, most: Math.max(45, tilt), value: tilt, unit: "°", decimals: 1 }),
      make("Downhill from x", "towards", { least: -180, most: 180, value: towards, unit: "°", decimals: 0 }),
      make("Damping", "damping", { least: 0, most: Math.max(5, 2 * damping), value: damping, unit: "1/s", decimals: 2 }),
    ];
  }

  /** What can be done to the member that is selected. */
  choose() {
    const { live, state } = this;
    const selection = state.get("selection");
    this.chosen.replaceChildren();
    if (!selection || selection.run !== 0 || selection.kind === "node") return;
    const { kind, index } = selection;
    const name = nameOf(this.run, selection);
    const parts = [element("h2", { text: `${kind} ${name}` })];
    if (kind === "cable" && live.canWind(index)) {
      const rest = live.rest(index);
      const own = live.given.rests[index] || rest;
      parts.push(slider("Rest length", { least: WOUND[0] * own, most: WOUND[1] * own, value: rest, unit: "m" }, (value) => live.wind(index, value)).row);
      const firm = live.stiffness(index);
      parts.push(slider("Stiffness", { least: STIFFENED[0] * firm, most: STIFFENED[1] * firm, value: firm, unit: "N/m" }, (value) => live.stiffen(index, value)).row);
    }
    if (kind === "cable" && live.given.cables[index].wound) parts.push(element("p", { kind: "small", text: "A drive winds this cable." }));
    if (live.canCut(kind, index)) parts.push(element("div", { kind: "row" }, element("button", { kind: "cut", text: `Cut ${name}`, title: "Cut it (K)", onclick: () => this.cut() })));
    else parts.push(element("p", { kind: "small", text: live.engine.gone.has(`${kind} ${index}`) ? "It is cut." : "A driven bar, or a rigid cylinder, cannot be cut." }));
    this.chosen.append(...parts);
  }

  cut() {
    const selection = this.state.get("selection");
    if (!selection || selection.kind === "node" || !this.live.canCut(selection.kind, selection.index)) return;
    this.go();
    this.live.cut(selection.kind, selection.index);
    this.live.engine.gone.add(`${selection.kind} ${selection.index}`);
    this.choose();
  }

  /** Show the live motion instead of what is recorded. */
  go() {
    if (this.live.on) return;
    this.live.on = true;
    if (!this.live.seen) this.live.look();
    this.state.put({ playing: false, live: true, mode: "none", trails: false });
  }

  toggle() {
    if (this.live.ended) this.reset();
    this.go();
    Object.assign(this.live, { running: !this.live.running, settling: null, rested: "" });
    this.live.paced = [];
    this.tell(true);
  }

  single() {
    this.go();
    this.live.running = false;
    this.live.step(SINGLE_STEP);
    this.live.stale = true;
    this.tell(true);
  }

  reset() {
    this.live.reset();
    this.live.stale = true;
    this.levers.forEach((tell) => tell());
    this.choose();
    this.tell(true);
  }

  keep(keep) {
    if (this.live.rows.length < 2) return;
    this.live.running = false;
    this.live.on = false;
    keep(this.live.rows, this.live.engine.happened);
    this.tell(true);
  }

  tell(now = false) {
    const { live } = this;
    if (live.refused) return;
    if (!now && performance.now() - this.told < TELL_EVERY) return;
    this.told = performance.now();
    this.start.textContent = live.running && !live.ended ? "Pause" : live.time > 0 ? "Go on" : "Start";
    this.start.setAttribute("aria-pressed", live.running);
    const pace = live.rate !== undefined && live.running && live.rate < 0.9 * live.speed ? `, slower than ${live.speed === 1 ? "real time" : "asked"}: ${number(live.rate, 2)}×` : "";
    this.status.textContent = live.ended ? `${live.ended} Reset begins again.` : `t = ${steady(live.time, 2)} s${live.running ? "" : live.on ? ", paused" : ""}${pace}`;
    this.status.classList.toggle("bad", Boolean(live.ended));
    this.doubt.hidden = !live.doubt;
    this.doubt.textContent = live.doubt;
    this.pulled.textContent = live.hand ? `Pulling at ${this.run.structure.nodes[live.hand.node]} with ${quantity(Math.hypot(...live.hand.force), "N", 3)}.` : "Drag a node in the picture to pull at it.";
    this.tellRest();
    if (now || performance.now() - (this.charted ?? 0) > CHART_EVERY) this.chart();
    this.events.replaceChildren(...live.engine.happened.slice(-LISTED).reverse().map(({ time, name }) => element("li", { text: `${steady(time, 3)} s  ${name}` })));
    if (!live.engine.happened.length) this.events.append(element("li", { kind: "small", text: "none yet" }));
  }

  chart() {
    const { live } = this;
    this.charted = performance.now();
    if (live.refused || !live.rows.length) return;
    const rows = live.rows.slice(-CHARTED);
    const time = rows.map((row) => row.time);
    const line = { span: [time[0], Math.max(time[time.length - 1], time[0] + 1e-3)], name: "time", unit: "s" };
    const marks = live.engine.happened.filter((event) => event.time >= time[0]);
    const show = (chart, parts) => {
      if (!chart.canvas.clientWidth) return; // nobody sees it
      chart.show(parts.map(([key, name], k) => ({ name, unit: "J", time, value: (row) => rows[row][key], colour: lineColour(k), dash: [] })), line, marks);
      chart.moveTo(line.span[1]);
      chart.read();
    };
    show(this.energy, ENERGIES);
    show(this.balance, BALANCE);
    if (this.page.hidden) return;
    const selection = this.state.get("selection");
    const member = selection && selection.run === 0 && selection.kind !== "node" ? selection : null;
    const key = member?.kind === "bar" ? "force" : "tension";
    this.forces.show(member ? [{ name: nameOf(this.run, member), unit: "N", time, value: (row) => rows[row][key][member.index], colour: lineColour(0), dash: [] }] : [], line, marks);
    this.forces.moveTo(line.span[1]);
    if (member) this.forces.read();
  }

  keys() {
    return [
      { keys: ["l"], words: "live: start or pause", act: () => this.toggle() },
      { keys: ["."], words: "live: one step", act: () => this.single() },
      { keys: ["r"], words: "live: begin again", act: () => this.reset() },
      { keys: ["s"], words: "live: let it settle", act: () => this.letSettle() },
      ...this.leverKeys(),
      { keys: ["k"], words: "live: cut what is selected", act: () => this.cut() },
    ];
  }
}
