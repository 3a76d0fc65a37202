// The triangles of a ground as a plain drawing needs them, and what of them lies below a place.
import { cross, subtract, unit } from "./maths.js";

const BINS = 48; // along a side, in which triangles are looked up

export class Underfoot {
  /** corners: nine numbers a triangle. */
  constructor(corners) {
    this.count = corners.length / 9;
    this.triangles = Array.from({ length: this.count }, (_, k) => {
      const own = [0, 3, 6].map((at) => Array.from(corners.slice(9 * k + at, 9 * k + at + 3)));
      const normal = unit(cross(subtract(own[1], own[0]), subtract(own[2], own[0])));
      return { corners: own, normal: normal[2] < 0 ? normal.map((part) => -part) : normal };
    });
    if (!this.count) return;
    const of = (axis) => this.triangles.flatMap(({ corners: own }) => own.map((corner) => corner[axis]));
    this.low = [0, 1].map((axis) => of(axis).reduce((a, b) => Math.min(a, b)));
    this.size = [0, 1].map((axis) => of(axis).reduce((a, b) => Math.max(a, b)) - this.low[axis] || 1);
    this.cells = new Map();
    for (const triangle of this.triangles) {
      if (triangle.normal[2] < 0.2) continue; // a wall has no shadow on it
      const [from, to] = [Math.min, Math.max].map((most) => [0, 1].map((axis) => this.cell(most(...triangle.corners.map((corner) => corner[axis])), axis)));
      for (let i = from[0]; i <= to[0]; i++) {
        for (let j = from[1]; j <= to[1]; j++) {
          const key = i * BINS + j;
          if (!this.cells.has(key)) this.cells.set(key, []);
          this.cells.get(key).push(triangle);
        }
      }
    }
  }

  cell(value, axis) {
    return Math.max(0, Math.min(BINS - 1, Math.floor(((value - this.low[axis]) / this.size[axis]) * BINS)));
  }

  /** The highest place of the ground that is not above a place; null where there is none. */
  below(x, y, z) {
    let best = null;
    for (const { corners: [a, b, c], normal } of this.cells.get(this.cell(x, 0) * BINS + this.cell(y, 1)) ?? []) {
      const side = (p, q) => (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
      const sides = [side(a, b), side(b, c), side(c, a)];
      if (sides.some((one) => one < 0) && sides.some((one) => one > 0)) continue;
      const height = a[2] - (normal[0] * (x - a[0]) + normal[1] * (y - a[1])) / normal[2];
      if (height <= z + 0.02 * Math.abs(this.size[0]) && (best === null || height > best)) best = height;
    }
    return best === null ? null : [x, y, best];
  }
}
