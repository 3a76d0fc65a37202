// The things that are drawn, one layer each. To draw something new, write a layer and put it into LAYERS.
//
// A layer is made once for a run: make(gl, run, sizes) returns { update(moment, look), draw(shared, look) }.
// update is called when the time or the colouring changed, draw for every picture. look says which things are wanted,
// what is selected and how cables are coloured; shared are the uniforms of every shader, node positions among them.
import { colour } from "./colours.js";
import { Batch, brush, rod, turned } from "./gl.js";
import { footprints, grounds } from "./ground.js";
import { BAR, CABLE, GLYPH, GRID, NODE, PLATE, PULLEY } from "./shaders.js";
import { niceStep } from "./format.js";
import { arrowScale, median } from "./maths.js";

const RIBBON = [new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), 2, [0, 1, 2, 2, 1, 3]];
const SQUARE = [new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), 2, [0, 1, 2, 2, 1, 3]];
const ARROW = turned(10, [[0, 0], [0.34, 0], [0.34, 1], [1, 1], [0, 2]]);
const PYRAMID = turned(4, [[0, 0], [1, 0], [0, 2]]);
const WHEEL = turned(32, [[0, 0], [1, 0], [1, 1], [1, 2], [1, 3], [0, 3]]);
const TRIANGLE = [new Float32Array([0, 1, 2]), 1, [0, 1, 2]];
const UNKNOWN = -1e30; // stands for a tension that is not known; shaders need not know NaN
const MANY_BARS = 400; // beyond this they are too thin on the screen to show lids

const selected = (look, run, kind) =>
  look.selection && look.selection.run === run.number && look.selection.kind === kind ? look.selection.index : -1;

function bars(gl, run, sizes) {
  const { ends, radius } = run.structure.bars;
  const many = ends.length > 2 * MANY_BARS;
  const drawn = Float32Array.from(radius, sizes.barRadius);
  const pushes = new Float32Array(ends.length / 2); // share of the largest; none for bars that pull or are not known
  const batch = new Batch(gl, rod(many ? 6 : 12, { lids: !many }), [[ends, 2], [drawn, 1], [pushes, 1]], pushes.length);
  const paint = brush(gl, BAR);
  return {
    update(moment, look) {
      const shown = !look.runColour(run) && look.range?.compression > 0;
      for (let k = 0; k < pushes.length; k++) {
        const value = shown ? moment.barShade(look.colouring, k) : 0;
        pushes[k] = value > 0 ? Math.min(1, value / look.range.compression) : 0;
      }
      batch.rewrite(3, pushes);
    },
    draw(shared, look) {
      paint(shared, {
        u_colour: look.runColour(run) ?? colour("bar"),
        u_compression: colour("compression"),
        u_selected: selected(look, run, "bar"),
      }, batch);
    },
  };
}

function cables(gl, run, sizes) {
  const { pieces } = run.structure.cables;
  const values = new Float32Array(pieces.length / 3);
  const batch = new Batch(gl, RIBBON, [[pieces, 3], [values, 1]], values.length);
  const paint = brush(gl, CABLE);
  return {
    update(moment, look) {
      for (let k = 0; k < values.length; k++) {
        const value = moment.cableShade(look.colouring, pieces[3 * k + 2]);
        values[k] = Number.isFinite(value) ? value : UNKNOWN;
      }
      batch.rewrite(2, values);
    },
    draw(shared, look) {
      paint(shared, {
        u_radius: sizes.cableRadius,
        u_selected: selected(look, run, "cable"),
        u_coloured: look.runColour(run) ? 0 : 1,
        u_plain: look.runColour(run) ?? colour("unknown"),
        u_largest: look.largest || 1,
        u_push: colour("push"),
        u_unknown: colour("unknown"),
      }, batch);
    },
  };
}

/** Plates as they are filled by triangles of their nodes: nothing is sent while they move. */
function plates(gl, run) {
  const { faces } = run.structure.plates;
  const batch = new Batch(gl, TRIANGLE, [[faces, 4]], faces.length / 4);
  const paint = brush(gl, PLATE);
  return {
    update() {},
    draw(shared, look) {
      if (look.plates) paint(shared, { u_colour: look.runColour(run) ?? colour("plate") }, batch);
    },
  };
}

function pulleys(gl, run, sizes) {
  const { nodes, radius } = run.structure.pulleys;
  const batch = new Batch(gl, WHEEL, [[nodes, 3], [Float32Array.from(radius), 1]], radius.length);
  const paint = brush(gl, PULLEY);
  return {
    update() {},
    draw(shared, look) {
      if (look.pulleys) paint(shared, { u_colour: look.runColour(run) ?? colour("plate"), u_thick: 1.6 * sizes.cableRadius }, batch);
    },
  };
}

function nodes(gl, run, sizes) {
  const smooth = gl.getContextAttributes().antialias;
  const batch = new Batch(gl, SQUARE, [], run.structure.nodes.length);
  const paint = brush(gl, NODE);
  return {
    update() {},
    draw(shared, look) {
      if (!look.nodes) return;
      gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
      const own = { u_colour: look.runColour(run) ?? colour("node"), u_selected: selected(look, run, "node"), u_radius: sizes.nodeRadius, u_least: smooth ? 0 : 0.5 };
      paint(shared, own, batch);
      gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
    },
  };
}

/** A pyramid below a node that is held along all axes; else a small one on each axis that is held. */
const SIDES = { x: [1, 0, 0], y: [0, -1, 0], z: [0, 0, 1] }; // y from behind, where it hides nothing of a planar structure

function supports(gl, run, sizes) {
  const held = [];
  for (const { node, axes } of run.structure.supports) {
    if (axes.length === 3) held.push([node, 0, 0, sizes.support]);
    else for (const axis of axes) held.push([node, ...SIDES[axis].map((part) => 0.6 * part * sizes.support)]);
  }
  const vectors = new Float32Array(held.flatMap((h) => h.slice(1)));
  const ends = Int32Array.from(held.flatMap((h) => [h[0], h[0]]));
  const batch = new Batch(gl, PYRAMID, [[ends, 2], [vectors, 3], [new Float32Array(held.length), 1]], held.length);
  const paint = brush(gl, GLYPH);
  return {
    update() {},
    draw(shared, look) {
      if (look.supports) paint(shared, { u_colour: colour("support"), u_width: 0.6 * sizes.support, u_head: sizes.support, u_tip: 1 }, batch);
    },
  };
}

/** Loads, reactions and contact forces: lengths in proportion to the largest of their kind, or to a usual one, which none exceeds. */
function arrows(gl, run, sizes) {
  const paint = brush(gl, GLYPH);
  const groups = run.arrows.filter((arrow) => arrow.largest > 0).map((arrow) => {
    const vectors = new Float32Array(3 * arrow.nodes.length);
    const ends = Int32Array.from(arrow.nodes.flatMap((node, k) => [node, arrow.others?.[k] ?? node]));
    const batch = new Batch(gl, ARROW, [[ends, 2], [vectors, 3], [new Float32Array(arrow.nodes.length), 1]], arrow.nodes.length);
    return { arrow, vectors, batch, at: run.arrows.indexOf(arrow) };
  });
  return {
    update(moment) {
      for (const { arrow, vectors, batch, at } of groups) {
        for (let k = 0; k < vectors.length; k += 3) {
          const force = moment.arrows[at].subarray(k, k + 3);
          const scale = arrowScale(force, arrow.largest, sizes.arrow);
          for (let i = 0; i < 3; i++) vectors[k + i] = (force[i] || 0) * scale;
        }
        batch.rewrite(2, vectors);
        if (moment.shares[at]) batch.rewrite(3, moment.shares[at]);
      }
    },
    draw(shared, look) {
      for (const { arrow, batch } of groups) {
        if (!look[arrow.name]) continue;
        const own = { u_colour: colour(arrow.name), u_width: 0.07 * sizes.arrow, u_head: 0.26 * sizes.arrow, u_tip: arrow.anchor === "tip" ? 1 : 0 };
        paint(shared, own, batch);
      }
    },
  };
}

export const LAYERS = [grounds, footprints, supports, plates, pulleys, bars, cables, nodes, arrows];

/** Lines on the floor, the same for all runs: two ends each, with how much is seen of the line there. */
export function floorLines(runs, sizes) {
  const step = niceStep(sizes.size, 8);
  const [low, high] = sizes.bounds;
  const from = [0, 1].map((axis) => Math.floor(low[axis] / step) - 2);
  const to = [0, 1].map((axis) => Math.ceil(high[axis] / step) + 2);
  const places = [];
  const ground = sizes.floor;
  const most = 60; // a run that travels far gets coarser lines
  const skip = Math.max(1, Math.ceil(Math.max(to[0] - from[0], to[1] - from[1]) / most));
  for (const axis of [0, 1]) {
    for (let k = from[axis]; k <= to[axis]; k += skip) {
      for (const [start, end] of [[0, 0.5], [0.5, 1]]) {
        for (const share of [start, end]) {
          const at = [0, 0, ground];
          at[axis] = k * step;
          at[1 - axis] = (from[1 - axis] + share * (to[1 - axis] - from[1 - axis])) * step;
          places.push(...at, share === 0.5 ? 1 : 0.15);
        }
      }
    }
  }
  return { step: step * skip, places };
}

export function floor(gl, runs, sizes) {
  const { step, places } = floorLines(runs, sizes);
  const batch = new Batch(gl, [new Float32Array(places), 4, Array.from({ length: places.length / 4 }, (_, k) => k)], [], 1);
  const paint = brush(gl, GRID);
  return {
    step,
    draw(shared, look) {
      if (look.grid) paint(shared, { u_colour: colour("grid") }, batch, gl.LINES);
    },
  };
}

/** How big to draw things: real radii where they can be seen, else a share of the usual member. */
export function drawingSizes(runs) {
  const low = [0, 1, 2].map((axis) => Math.min(...runs.map((run) => run.bounds[0][axis])));
  const high = [0, 1, 2].map((axis) => Math.max(...runs.map((run) => run.bounds[1][axis])));
  const size = Math.max(...runs.map((run) => Math.hypot(...run.bounds[2]))) || 1;
  const lengths = runs.flatMap((run) => {
    const { ends } = run.structure.bars;
    const { pieces } = run.structure.cables;
    const apart = (a, b) => Math.hypot(...[0, 1, 2].map((i) => run.positions.at(0, 3 * a + i) - run.positions.at(0, 3 * b + i)));
    const found = [];
    for (let k = 0; k < ends.length; k += 2) found.push(apart(ends[k], ends[k + 1]));
    if (!found.length) for (let k = 0; k < pieces.length; k += 3) found.push(apart(pieces[k], pieces[k + 1]));
    return found;
  });
  const usual = median(lengths) || size;
  const barRadius = (radius) => Math.min(Math.max(radius, 0.009 * usual), 0.035 * usual);
  const radii = runs.flatMap((run) => Array.from(run.structure.bars.radius, barRadius));
  const thick = median(radii) || 0.012 * usual;
  const support = Math.max(0.06 * usual, 0.01 * size);
  const held = runs.some((run) => run.structure.supports.length);
  return {
    bounds: [low, high], size, usual, barRadius,
    cableRadius: 0.38 * thick, nodeRadius: 1.45 * thick,
    support, arrow: 0.15 * size, floor: low[2] - (held ? support : 0.02 * size),
  };
}
