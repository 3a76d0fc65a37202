// From where a structure is looked at first, and what has to fit into view.
import { arrowScale } from "./maths.js";

/** A flat structure is looked at from where it is seen best. */
export function firstView([low, high]) {
  const spans = [0, 1, 2].map((axis) => high[axis] - low[axis]);
  const thin = spans.findIndex((span) => span < 0.02 * Math.max(...spans));
  return ["along_x", "along_y", "from_above"][thin] ?? "askew";
}

const PLACES = 2e5; // of all nodes and rows that are looked at

/** Places that nodes and the ends of arrows come to in a run: of about so many rows and of the last, each moved as is said. */
export function reached(run, reach, { most = 40, moved = () => [0, 0, 0] } = {}) {
  const { rows } = run.positions;
  const often = Math.max(1, Math.ceil(rows / most));
  const many = Math.max(1, Math.ceil(run.structure.nodes.length * Math.max(1 / 400, rows / often / PLACES)));
  const looked = Array.from({ length: Math.ceil(rows / often) }, (_, k) => k * often);
  const ends = [];
  for (const row of looked.at(-1) === rows - 1 ? looked : [...looked, rows - 1]) {
    const aside = moved(row);
    const place = (node) => [0, 1, 2].map((i) => run.positions.at(row, 3 * node + i) + aside[i]);
    for (let node = 0; node < run.structure.nodes.length; node += many) ends.push(place(node));
    for (const { anchor, largest, nodes, forces } of run.arrows) {
      for (let k = 0; k < nodes.length; k += many) {
        const force = [0, 1, 2].map((i) => forces.at(row, 3 * k + i));
        const scale = (anchor === "tip" ? -1 : 1) * arrowScale(force, largest, reach);
        ends.push(place(nodes[k]).map((at, i) => at + scale * force[i]));
      }
    }
  }
  if (run.measured) {
    const { places } = run.measured;
    const skip = Math.ceil(places.rows / 40);
    for (let row = 0; row < places.rows; row += skip) {
      for (let k = 0; k < places.width; k += 3 * many) ends.push([0, 1, 2].map((i) => places.at(row, k + i)));
    }
  }
  return ends.filter((end) => end.every(Number.isFinite));
}
