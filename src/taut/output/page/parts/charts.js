// The charts beside the scene, over time or over an input: those that come with the runs, and those of chosen members and nodes.
import { dash, lineColour, named } from "./colours.js";
import { Chart } from "./chart.js";
import { prefixed } from "./format.js";
import { element } from "./state.js";

const READ_EVERY = 90; // [ms]
const AXES = ["x", "y", "z"];

export class Charts {
  /** host has forces, motion and what else is of the runs; numerics those charts that tell how well they were computed. */
  constructor(host, numerics, runs, state, scrub) {
    Object.assign(this, { runs, state, read: 0 });
    this.many = runs.length > 1;
    this.events = runs.flatMap((run) => run.events);
    this.given = runs[0].charts.map((spec) => ({ spec, chart: new Chart(spec, scrub), part: spec.series.length - 1 }));
    this.forces = new Chart({ name: "Member forces", unit: "N", scale: "linear", empty: "click a member, then add it here" }, scrub);
    this.paths = new Chart({ name: "Node coordinates", unit: "m", scale: "linear", empty: "click a node, then add it here" }, scrub);
    if (this.many) this.given.forEach((one) => this.choose(one));
    this.note = element("p", { kind: "small", hidden: true });
    host.append(this.note, this.forces.figure, this.paths.figure);
    for (const { spec, chart } of this.given) (spec.numerics ? numerics : host).append(chart.figure);
    const drawn = new ResizeObserver(() => this.all().forEach((chart) => {
      chart.draw();
      chart.moveTo(chart.time);
    }));
    for (const page of [host, numerics]) drawn.observe(page);
    state.on(["charted", "theme"], () => this.show());
  }

  all() {
    return [this.forces, this.paths, ...this.given.map(({ chart }) => chart)];
  }

  /** Take all charts off, and say why. */
  withdraw(words) {
    this.withdrawn = true;
    this.note.hidden = false;
    this.note.textContent = words;
    this.all().forEach((chart) => chart.figure.remove());
  }

  /** With several runs, a chart shows one of its parts for all of them. */
  choose(one) {
    const list = element("select", { "aria-label": "What to show" });
    one.spec.series.forEach(({ name, unit }, k) => list.append(element("option", { value: k, text: one.spec.unit ? name : `${name} [${unit}]` })));
    list.value = one.part;
    list.addEventListener("change", () => {
      one.part = Number(list.value);
      this.show();
    });
    one.chart.caption.append(list);
  }

  show() {
    if (this.withdrawn) return;
    const { values } = this.state;
    this.key = this.runs[0].course.lineKey(values);
    this.lines = this.runs.map((run) => run.course.line(values));
    const over = {
      name: this.lines[0].name, unit: this.lines[0].unit,
      span: [Math.min(...this.lines.map(({ span }) => span[0])), Math.max(...this.lines.map(({ span }) => span[1]))],
    };
    this.note.hidden = over.name === "time";
    this.note.textContent = `Over ${over.name} [${prefixed(Math.max(...over.span.map(Math.abs)), over.unit).unit}]; all other inputs as they are.`;
    for (const { spec, chart, part } of this.given) chart.show(this.many ? this.across(spec, part) : this.parts(spec), over, this.events);
    const charted = this.state.get("charted");
    const members = charted.filter((one) => one.kind !== "node");
    this.forces.show(members.flatMap((one, k) => this.chosen(one, k, (run, index) => {
      const source = one.kind === "bar" ? run.bar_force : run.cable_tension;
      return [this.lines[run.number].read(source, index), run.measured?.rows(one.kind, index)];
    }, "N")), over, this.events);
    const nodes = charted.filter((one) => one.kind === "node");
    this.paths.show(nodes.flatMap((one, k) => this.chosen(one, k, (run, index) => {
      const column = 3 * index + AXES.indexOf(one.axis);
      return [this.lines[run.number].read(run.positions, column), run.measured?.rows("node", index, AXES.indexOf(one.axis))];
    }, "m")), over, this.events);
    this.moveTo(true);
  }

  parts(spec) {
    const [line] = this.lines;
    return spec.series.map(({ name, unit, values, sum, steps }, k) => ({
      name, unit, steps, time: line.time, value: line.read(values, 0), colour: sum ? named("text") : lineColour(k), dash: sum ? dash(1) : [],
    }));
  }

  across(spec, part) {
    const wanted = spec.series[part].name;
    return this.runs.flatMap((run) => {
      const found = run.charts.find(({ name }) => name === spec.name)?.series.find(({ name }) => name === wanted);
      if (!found) return [];
      return [{ name: run.name, unit: found.unit, steps: found.steps, time: this.lines[run.number].time, value: this.lines[run.number].read(found.values, 0), colour: lineColour(run.number), dash: [] }];
    });
  }

  /** The lines of a chosen member or node, one for each run that has it. */
  chosen(one, place, reader, unit) {
    const what = one.axis ? `${one.name} ${one.axis}` : one.name;
    const remove = () => this.state.put({ charted: this.state.get("charted").filter((other) => other !== one) });
    return this.runs.flatMap((run) => {
      const index = run.index[one.kind].get(one.name);
      if (index === undefined) return [];
      const [value, points] = reader(run, index);
      return [{
        name: this.many ? `${what} · ${run.name}` : what, unit, time: this.lines[run.number].time, value, points, remove,
        colour: lineColour(this.many ? run.number : place), dash: this.many ? dash(place) : [],
      }];
    });
  }

  /** To where the state says; drawn again where the line goes through other places. */
  moveTo(now = false) {
    if (this.withdrawn) return;
    const { values } = this.state;
    const [{ course }] = this.runs;
    if (course.lineKey(values) !== this.key) return void this.show();
    const charts = this.all();
    for (const chart of charts) chart.moveTo(course.position(values));
    const clock = performance.now();
    if (!now && clock - this.read < READ_EVERY) return;
    this.read = clock;
    for (const chart of charts) chart.read();
  }
}

/** What is charted at first: cables whose tension changes most, and the node that moves most, of what was measured where
 * something was; one of each for many runs. */
export function firstChoices([run, ...others]) {
  const spread = (samples, column) => {
    let [low, high] = [Infinity, -Infinity];
    const stride = Math.max(1, Math.floor(samples.rows / 100));
    for (let row = 0; row < samples.rows; row += stride) {
      const value = samples.at(row, column);
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return high - low;
  };
  const most = (count, measure) => Array.from({ length: count }, (_, k) => [measure(k) || 0, k]).sort((a, b) => b[0] - a[0]);
  const { nodes, cables } = run.structure;
  const cells = cables.names.filter((_, k) => run.measured?.rows("cable", k)).length;
  const told = (kind, k, count) => !count || run.measured.rows(kind, k) !== null;
  const lively = most(cables.names.length, (k) => told("cable", k, cells) && spread(run.cable_tension, k)).slice(0, others.length ? 1 : Math.min(3, cells || 3));
  const [moving] = most(nodes.length, (k) => told("node", k, run.measured?.nodes.length) && Math.hypot(...[0, 1, 2].map((i) => spread(run.positions, 3 * k + i))));
  const axes = AXES.map((axis, i) => ({ axis, moved: spread(run.positions, 3 * moving[1] + i) }));
  const largest = Math.max(...axes.map(({ moved }) => moved));
  return [
    ...lively.map(([, k]) => ({ kind: "cable", name: cables.names[k] })),
    ...axes.filter(({ moved }) => moved > (others.length ? 1 - 1e-9 : 1e-6) * largest).map(({ axis }) => ({ kind: "node", name: nodes[moving[1]], axis })),
  ];
}
