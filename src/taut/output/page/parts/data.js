// Unpacks what the page carries: a document whose arrays were stored by embedding.py.
import { Grid } from "./grid.js";
import { length } from "./maths.js";

const MISSING = -32768;

/** Rows of numbers, one row a sample. Coarse ones are integers that are scaled where they are read. */
export class Samples {
  constructor(values, shape, scale, offset) {
    Object.assign(this, { values, shape, scale, offset });
    this.rows = shape[0] ?? 0;
    this.width = shape.slice(1).reduce((a, b) => a * b, 1);
  }

  at(row, column = 0) {
    const value = this.values[row * this.width + column];
    if (!this.scale) return value;
    if (value === MISSING) return NaN;
    const axis = column % this.scale.length;
    return this.offset[axis] + this.scale[axis] * value;
  }

  /** Rows by their weights, one column. */
  mixed({ rows, weights }, column = 0) {
    let sum = 0;
    for (let k = 0; k < rows.length; k++) sum += weights[k] * this.at(rows[k], column);
    return sum;
  }

  /** Rows by their weights, all columns. */
  mix({ rows, weights }, out) {
    for (let k = 0; k < this.width; k++) {
      let sum = 0;
      for (let j = 0; j < rows.length; j++) sum += weights[j] * this.at(rows[j], k);
      out[k] = sum;
    }
    return out;
  }
}

const TYPES = { f8: Float64Array, i4: Int32Array, u1: Uint8Array };

function unpacked(head, buffer, start) {
  const at = start + head.at;
  const count = head.shape.reduce((a, b) => a * b, 1);
  if (head.kind in TYPES) return new TYPES[head.kind](buffer, at, count);
  const words = head.kind === "f4" ? new Uint32Array(count) : new Uint16Array(count);
  const bytes = new Uint8Array(buffer, at, count * words.BYTES_PER_ELEMENT);
  for (let plane = 0; plane < words.BYTES_PER_ELEMENT; plane++) {
    for (let k = 0; k < count; k++) words[k] |= bytes[plane * count + k] << (8 * plane);
  }
  const width = head.shape[0] ? count / head.shape[0] : count;
  for (let k = width; k < count; k++) words[k] += words[k - width];
  const values = head.kind === "f4" ? new Float32Array(words.buffer) : new Int16Array(words.buffer);
  return new Samples(values, head.shape, head.scale, head.offset);
}

/** The document inside the page. */
export async function decode(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const size = new DataView(buffer).getUint32(0, true);
  const parsed = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const arrays = parsed.arrays.map((head) => unpacked(head, buffer, 4 + size));
  const filled = (value) => {
    if (Array.isArray(value)) return value.map(filled);
    if (value === null || typeof value !== "object") return value;
    if ("array" in value) return arrays[value.array];
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, filled(part)]));
  };
  const content = filled(parsed.content);
  content.runs.forEach(prepare);
  content.runs.forEach((run, k) => {
    run.groundAgain = content.runs.slice(0, k).some((other) => String(other.grounds) === String(run.grounds));
  });
  return content;
}

function prepare(run, number) {
  run.number = number;
  run.measured &&= new Measured(run.measured);
  run.course = run.grid ? new Grid(run.grid) : run.cases ? new CaseRows() : new Course(run.time);
  run.start = run.cases ? run.cases.given.mix({ rows: [0], weights: [1] }, new Float32Array(run.positions.width)) : run.positions.mix(run.course.at(run.grid ? { inputs: run.grid.start } : { time: run.time[0] }), new Float32Array(run.positions.width));
  run.begin = run.time[0];
  run.end = run.time[run.time.length - 1];
  run.index = {};
  const { nodes, bars, cables } = run.structure;
  for (const [kind, names] of [["node", nodes], ["bar", bars.names], ["cable", cables.names]]) {
    run.index[kind] = new Map(names.map((name, k) => [name, k]));
  }
  run.route = cables.names.map(() => []);
  for (let k = 0; k < cables.pieces.length; k += 3) run.route[cables.pieces[k + 2]].push(k);
}

/** A motion that was made here in the place of one that was recorded. rows: { time, nodes, tension, force }. */
export function rerecorded(run, rows, events) {
  const samples = (values, ...shape) => new Samples(Float32Array.from(values.flatMap((row) => Array.from(row))), [rows.length, ...shape]);
  run.time = Float64Array.from(rows, ({ time }) => time);
  run.positions = samples(rows.map(({ nodes }) => nodes), run.structure.nodes.length, 3);
  run.cable_tension = samples(rows.map(({ tension }) => tension), run.structure.cables.names.length);
  run.bar_force = samples(rows.map(({ force }) => force), run.structure.bars.names.length);
  const middle = (nodes) => [0, 1, 2].map((axis) => nodes.reduce((sum, value, k) => sum + (k % 3 === axis ? value : 0), 0) / (nodes.length / 3));
  run.centre = samples(rows.map(({ nodes }) => middle(nodes)), 3);
  Object.assign(run, { kind: "run", arrows: [], footprints: new Float64Array(0), events, measured: null, course: new Course(run.time), begin: run.time[0], end: run.time[run.time.length - 1] });
}

/** The two samples around a time and the weight of the second. */
export function bracket(time, t) {
  const last = time.length - 1;
  if (t <= time[0]) return [0, 0, 0];
  if (t >= time[last]) return [last, last, 0];
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle;
  }
  return [low, high, (t - time[low]) / (time[high] - time[low])];
}

/** The rows around a time and their weights. */
export function carriedAt(time, t) {
  const [a, b, w] = bracket(time, t);
  return w === 0 ? { rows: [a], weights: [1] } : { rows: [a, b], weights: [1 - w, w] };
}

/** The samples of a run over time: what `Grid` is for postures over inputs. */
class Course {
  constructor(time) {
    this.time = time;
  }

  /** The rows that carry what is shown, and their weights. */
  at({ time }) {
    return { ...carriedAt(this.time, time), found: true };
  }

  /** What the line depends on. */
  lineKey() {
    return "";
  }

  /** What charts are over: where, and a reader of samples there. */
  line() {
    const { time } = this;
    return { time, name: "time", unit: "s", span: [time[0], time[time.length - 1]], read: (samples, column) => (row) => samples.at(row, column) };
  }

  /** Where on the line one stands. */
  position({ time }) {
    return time;
  }
}

/** Load cases: a row each, one at a time. */
class CaseRows {
  at({ loadCase }) {
    return { rows: [loadCase], weights: [1], found: true };
  }
}

/** What was measured at one time: markers and forces, not numbers in gaps and before and after all rows. */
class Measured {
  constructor(measured) {
    Object.assign(this, measured);
    this.now = new Float32Array(measured.places.width);
    this.force = new Float32Array(measured.forces.width);
    this.marker = new Map(measured.nodes.map((node, k) => [node, k]));
    this.cell = new Map(measured.members.map(({ kind, index }, k) => [`${kind} ${index}`, k]));
  }

  show(t) {
    const carried = carriedAt(this.time, t);
    this.places.mix(carried, this.now);
    this.forces.mix(carried, this.force);
    const rounding = 1e-9 * Math.max(Math.abs(this.time[0]), Math.abs(this.time[this.time.length - 1]));
    if (this.time.length > 1 && (t < this.time[0] - rounding || t > this.time[this.time.length - 1] + rounding)) {
      this.now.fill(NaN);
      this.force.fill(NaN);
    }
  }

  /** Where the marker of a node is; null where it has none, or is not seen. */
  place(node) {
    const k = this.marker.get(node);
    const at = k === undefined ? [NaN] : [0, 1, 2].map((i) => this.now[3 * k + i]);
    return at.every(Number.isFinite) ? at : null;
  }

  /** The rows of a member's force, or of a coordinate of a node, for a chart; nothing where none was measured. */
  rows(kind, index, axis = 0) {
    const k = kind === "node" ? this.marker.get(index) : this.cell.get(`${kind} ${index}`);
    if (k === undefined) return null;
    return { time: this.time, value: kind === "node" ? (row) => this.places.at(row, 3 * k + axis) : (row) => this.forces.at(row, k) };
  }
}

/** A run at one time, or a posture: positions and forces, in arrays that are used again and again. */
export class Moment {
  constructor(run) {
    this.run = run;
    this.nodes = new Float32Array(run.positions.width); // as they are drawn
    this.real = run.cases ? new Float32Array(run.positions.width) : this.nodes; // where displacements are not drawn larger
    this.share = run.utilisation && new Float32Array(run.utilisation.width);
    this.tension = new Float32Array(run.cable_tension.width);
    this.barForce = new Float32Array(run.bar_force.width);
    this.density = new Float32Array(run.cable_tension.width);
    this.centre = [0, 0, 0];
    this.measured = run.measured;
    this.arrows = run.arrows.map((arrow) => new Float32Array(arrow.forces.width));
    this.shares = run.arrows.map((arrow) => arrow.shares && new Float32Array(arrow.shares.width));
    this.time = run.begin;
  }

  show(values, mode, swing) {
    const { run } = this;
    const carried = run.course.at(values);
    this.found = carried.found;
    this.carried = carried;
    run.positions.mix(carried, this.real);
    if (run.cases) this.real.forEach((value, k) => (this.nodes[k] = run.start[k] + values.enlarged * (value - run.start[k])));
    run.utilisation?.mix(carried, this.share);
    run.cable_tension.mix(carried, this.tension);
    run.bar_force.mix(carried, this.barForce);
    run.centre.mix(carried, this.centre);
    run.pulls?.forEach((pulls, k) => {
      if (pulls && this.tension[k] < 0) this.tension[k] = 0; // it pushes nowhere on the grid
    });
    this.measured?.show(values.time);
    this.time = values.time;
    this.acted = true;
    run.arrows.forEach((arrow, k) => {
      arrow.forces.mix(carried, this.arrows[k]);
      arrow.shares?.mix(carried, this.shares[k]);
    });
    if (mode) {
      for (let k = 0; k < this.nodes.length; k++) this.nodes[k] += swing * mode.displacement.at(0, k);
    }
    for (let k = 0; k < this.density.length; k++) this.density[k] = this.tension[k] / this.cableLength(k);
    return this;
  }

  place(node) {
    return [this.nodes[3 * node], this.nodes[3 * node + 1], this.nodes[3 * node + 2]];
  }

  /** What a colouring shows of a cable, and of a bar where it is pushed or used. */
  cableShade(colouring, k) {
    return colouring === "utilisation" ? this.share[k] : colouring === "density" ? this.density[k] : this.tension[k];
  }

  barShade(colouring, k) {
    return colouring === "utilisation" ? this.share[this.tension.length + k] : colouring === "density" ? -this.barForce[k] / this.barLength(k) : -this.barForce[k];
  }

  /** The middle of a member as it is drawn, or a node. */
  middle({ kind, index }) {
    const { bars, cables } = this.run.structure;
    if (kind === "node") return this.place(index);
    const piece = kind === "cable" ? this.run.route[index][this.run.route[index].length >> 1] : 2 * index;
    const from = kind === "cable" ? cables.pieces : bars.ends;
    const [a, b] = [this.place(from[piece]), this.place(from[piece + 1])];
    return a.map((value, i) => (value + b[i]) / 2);
  }

  distance(a, b) {
    const { real: nodes } = this;
    return length([nodes[3 * a] - nodes[3 * b], nodes[3 * a + 1] - nodes[3 * b + 1], nodes[3 * a + 2] - nodes[3 * b + 2]]);
  }

  cableLength(cable) {
    const { pieces } = this.run.structure.cables;
    let sum = 0;
    for (const at of this.run.route[cable]) sum += this.distance(pieces[at], pieces[at + 1]);
    return sum;
  }

  barLength(bar) {
    const { ends } = this.run.structure.bars;
    return this.distance(ends[2 * bar], ends[2 * bar + 1]);
  }
}
