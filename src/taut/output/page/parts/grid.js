// Postures on a grid of inputs: which of them carry a place between them, as kinetostatics/stencils.py has it.

const POINTS = [6, 4, 2]; // values of each axis that carry a polynomial: the first of these of which all postures are there
const LINE = 80; // parts of a line through the grid
const QUICK = 3; // with more axes, straight lines do where colours of many places are wanted at once

/** The first of some growing values that carry x, and Lagrange's weights of them; a value of the grid carries itself. */
function weightsAlong(values, x, points) {
  let after = 0;
  while (after < values.length && values[after] <= x) after += 1;
  if (after && values[after - 1] === x) return [after - 1, [1]];
  const count = Math.min(points, values.length);
  const cell = Math.max(0, Math.min(after - 1, values.length - 2));
  const first = Math.max(0, Math.min(cell - (Math.floor(count / 2) - 1), values.length - count));
  const weights = [];
  for (let i = 0; i < count; i++) {
    let weight = 1;
    for (let j = 0; j < count; j++) if (j !== i) weight *= (x - values[first + j]) / (values[first + i] - values[first + j]);
    weights.push(weight);
  }
  return [first, weights];
}

export class Grid {
  /** axes: { name, unit, quantity, values }; row: of each point the row of its posture, or -1; joined: whether it leads to
   * the next one along axis k, in bit k. The last axis is fastest. */
  constructor({ axes, row, joined, start }) {
    Object.assign(this, { axes, row, joined, start });
    this.quick = axes.length > QUICK ? [2] : POINTS;
    this.strides = axes.map((_, k) => axes.slice(k + 1).reduce((count, { values }) => count * values.length, 1));
  }

  /** Rows and weights that carry a place; null where there is no posture, or where they are of different sheets. */
  carry(inputs, alongEach = POINTS) {
    for (const points of alongEach) {
      const found = this.block(this.axes.map(({ values }, k) => weightsAlong(values, inputs[k], points)));
      if (found) return found;
    }
    return null;
  }

  /** Whether there are postures at all corners around a place, which then are of different sheets if none is carried. */
  surrounded(inputs) {
    const corners = this.corners(this.axes.map(({ values }, k) => weightsAlong(values, inputs[k], 2)));
    return corners.places.every((place) => this.row[place] >= 0);
  }

  block(along) {
    const { places, weights, open } = this.corners(along);
    const rows = [];
    for (let at = 0; at < places.length; at++) {
      const place = places[at];
      if (this.row[place] < 0 || (this.joined[place] & open[at]) !== open[at]) return null;
      rows.push(this.row[place]);
    }
    return { rows, weights, found: true };
  }

  /** The points of a block of the grid, their weights, and in bits along which axes each has a next one in the block. */
  corners(along) {
    let [places, weights, open] = [[0], [1], [0]];
    along.forEach(([first, own], k) => {
      const [ahead, heavy, more] = [[], [], []];
      places.forEach((place, at) => own.forEach((weight, i) => {
        ahead.push(place + (first + i) * this.strides[k]);
        heavy.push(weights[at] * weight);
        more.push(open[at] | (i + 1 < own.length ? 1 << k : 0));
      }));
      [places, weights, open] = [ahead, heavy, more];
    });
    return { places, weights, open };
  }

  /** As a picture needs it: where there is no posture, the nearest one of the grid. */
  at({ inputs }) {
    return this.carry(inputs) ?? { rows: [this.row[this.nearest(inputs)]], weights: [1], found: false };
  }

  /** The point of the grid with a posture whose inputs are nearest, each in parts of its span. */
  nearest(inputs) {
    let [best, least] = [-1, Infinity];
    for (let place = 0; place < this.row.length; place++) {
      if (this.row[place] < 0) continue;
      const off = Math.hypot(...this.values(place).map((value, k) => (value - inputs[k]) / this.span(k)));
      if (off < least) [best, least] = [place, off];
    }
    return best;
  }

  values(place) {
    return this.axes.map(({ values }, k) => values[Math.floor(place / this.strides[k]) % values.length]);
  }

  span(axis) {
    const { values } = this.axes[axis];
    return values[values.length - 1] - values[0];
  }

  /** Through the place that is shown, along one axis: where, and what carries it there. */
  through(axis, inputs, alongEach = POINTS) {
    const { values } = this.axes[axis];
    const along = Float64Array.from({ length: LINE + 1 }, (_, k) => (k === LINE ? values[values.length - 1] : values[0] + (k / LINE) * this.span(axis)));
    return { along, carried: Array.from(along, (value) => this.carry(inputs.with(axis, value), alongEach)) };
  }

  // --- what charts ask: a line, as of a run over time

  lineKey({ inputs, active }) {
    return `${active} ${inputs.filter((_, k) => k !== active).join(" ")}`;
  }

  line({ inputs, active }) {
    const { along, carried } = this.through(active, inputs);
    const { values, name, unit } = this.axes[active];
    return {
      time: along, name, unit, span: [values[0], values[values.length - 1]],
      read: (samples, column) => (k) => (carried[k] ? samples.mixed(carried[k], column) : NaN),
    };
  }

  position({ inputs, active }) {
    return inputs[active];
  }
}
