// What is written and drawn over the scene: axes, names, trails.
import { lineColour, named } from "./colours.js";
import { bracket } from "./data.js";
import { quantity } from "./format.js";
import { projector } from "./picking.js";

const MOST_NAMES = 80;
const MOST_TRAILS = 40;
const SHADES = 8;
const TRAIL_SHARE = 0.3; // of the run's time
const CROSS = 5; // half of a marker [px]
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";

export class Overlay {
  constructor(canvas, scene) {
    Object.assign(this, { canvas, scene, pen: canvas.getContext("2d") });
  }

  draw(moments, state) {
    const { canvas, pen } = this;
    const { camera } = this.scene;
    const still = JSON.stringify([camera.yaw, camera.pitch, canvas.clientWidth, canvas.clientHeight, state.theme]);
    const rings = state.driven && !this.scene.painted; // which draws its own
    const lively = state.hand || state.trails || state.names || state.selection || moments.some(({ run }) => (run.driven.length && rings) || run.measured || run.cases);
    if (!lively && !this.lively && still === this.still) return; // nothing here has changed
    Object.assign(this, { still, lively });
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.project = projector(this.scene);
    if (state.trails) this.trails(moments, state);
    this.axes(width, height);
    if (state.unloaded) moments.forEach(({ run }) => run.cases && this.unloaded(run));
    if (rings) moments.forEach((moment) => moment.run.driven.forEach((one) => this.drive(moment, one)));
    if (state.measured) moments.forEach((moment) => moment.measured && this.markers(moment));
    if (state.names) this.names(moments);
    if (state.selection) this.label(moments, state.selection);
    if (state.hand) this.hand(moments[0], state.hand);
  }

  axes(width, height) {
    const { pen } = this;
    const { right, over } = this.scene.camera.axes();
    const [x0, y0, reach] = [width - 52, height - 42, 24];
    pen.lineWidth = 1.6;
    pen.lineCap = "round";
    pen.font = `600 11px ${FONT}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.strokeStyle = pen.fillStyle = named("muted");
    ["x", "y", "z"].forEach((name, axis) => {
      const [dx, dy] = [right[axis] * reach, -over[axis] * reach];
      const size = Math.hypot(dx, dy);
      if (size < 5) return; // it points at the viewer
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.lineTo(x0 + dx, y0 + dy);
      pen.stroke();
      pen.fillText(name, x0 + dx + (9 * dx) / size, y0 + dy + (9 * dy) / size);
    });
  }

  text(words, x, y, strong) {
    const { pen } = this;
    pen.font = `${strong ? 600 : 400} 12px ${FONT}`;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.lineWidth = 4;
    pen.lineJoin = "round";
    pen.strokeStyle = named("scene");
    pen.strokeText(words, x + 9, y - 9);
    pen.fillStyle = named(strong ? "select" : "text");
    pen.fillText(words, x + 9, y - 9);
  }

  names(moments) {
    const [moment] = moments;
    const places = moment.run.structure.nodes.map((name, k) => ({ name: short(name), at: this.project(...moment.place(k)) }));
    const taken = [];
    places.filter(({ at }) => at[2] > 0).sort((a, b) => a.at[2] - b.at[2]).slice(0, MOST_NAMES).forEach(({ name, at: [x, y] }) => {
      const half = 4 + 3.4 * name.length;
      if (taken.some((other) => Math.abs(other.y - y) < 14 && Math.abs(other.x - x) < other.half + half)) return; // names do not overlap
      taken.push({ x, y, half });
      this.text(name, x, y, false);
    });
  }

  /** The middle of a node or member on the screen; null where it is behind the viewer. */
  middle(moment, one) {
    const [x, y, depth] = this.project(...moment.middle(one));
    return depth > 0 ? [x, y] : null;
  }

  label(moments, { run, kind, index }) {
    const moment = moments[run];
    const { nodes, bars, cables } = moment.run.structure;
    const at = this.middle(moment, { kind, index });
    if (!at) return;
    const name = kind === "node" ? nodes[index] : kind === "bar" ? bars.names[index] : cables.names[index];
    this.text(short(name), ...at, true);
  }

  /** From the node that is held to the hand, with its force. */
  hand(moment, { node, place, force }) {
    const { pen } = this;
    const [[x, y, behind], [u, v, depth]] = [moment.place(node), place].map((at) => this.project(...at));
    if (behind <= 0 || depth <= 0) return;
    pen.strokeStyle = pen.fillStyle = named("accent");
    pen.lineWidth = 2;
    pen.setLineDash([5, 4]);
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(u, v);
    pen.stroke();
    pen.setLineDash([]);
    pen.beginPath();
    pen.arc(u, v, 6, 0, 2 * Math.PI);
    pen.fill();
    this.text(quantity(Math.hypot(...force), "N", 3), u, v, true);
  }

  /** A ring on a driven member: the drum that winds it. */
  drive(moment, driven) {
    const at = this.middle(moment, driven);
    if (!at) return;
    const { pen } = this;
    pen.beginPath();
    pen.arc(...at, 5, 0, 2 * Math.PI);
    pen.fillStyle = named("scene");
    pen.strokeStyle = named("load");
    pen.lineWidth = 2;
    pen.fill();
    pen.stroke();
  }

  /** Thin lines: the undeformed shape. */
  unloaded({ start, structure: { bars, cables } }) {
    const { pen } = this;
    const seen = Array.from({ length: start.length / 3 }, (_, k) => this.project(start[3 * k], start[3 * k + 1], start[3 * k + 2]));
    const line = (a, b) => {
      if (seen[a][2] <= 0 || seen[b][2] <= 0) return;
      pen.moveTo(seen[a][0], seen[a][1]);
      pen.lineTo(seen[b][0], seen[b][1]);
    };
    pen.beginPath();
    for (let k = 0; k < bars.ends.length; k += 2) line(bars.ends[k], bars.ends[k + 1]);
    for (let k = 0; k < cables.pieces.length; k += 3) line(cables.pieces[k], cables.pieces[k + 1]);
    Object.assign(pen, { strokeStyle: named("muted"), lineWidth: 1, globalAlpha: 0.45 });
    pen.stroke();
    pen.globalAlpha = 1;
  }

  /** A cross at every marker that is seen, and a line from there to its node. */
  markers(moment) {
    const { pen } = this;
    const [colour, around] = [named("measured"), named("scene")];
    const stroke = (width) => [[around, width + 2.5], [colour, width]].forEach(([style, wide]) => { // seen on any node
      Object.assign(pen, { strokeStyle: style, lineWidth: wide });
      pen.stroke();
    });
    pen.lineCap = "round";
    for (const node of moment.measured.nodes) {
      const at = moment.measured.place(node);
      if (!at) continue;
      const [[x, y, depth], [u, v, behind]] = [at, moment.place(node)].map((place) => this.project(...place));
      if (depth <= 0) continue;
      if (behind > 0) {
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(u, v);
        stroke(1.2);
      }
      pen.beginPath();
      for (const side of [-1, 1]) {
        pen.moveTo(x - CROSS, y - side * CROSS);
        pen.lineTo(x + CROSS, y + side * CROSS);
      }
      stroke(2);
    }
  }

  trails(moments, state) {
    const { pen } = this;
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    moments.forEach((moment, number) => {
      const { run } = moment;
      const [now] = bracket(run.time, state.time);
      const [first] = bracket(run.time, state.time - TRAIL_SHARE * (run.end - run.begin));
      trailed(run, number, state).forEach((node, k) => {
        pen.strokeStyle = lineColour(moments.length > 1 ? number : k);
        const stride = Math.max(1, Math.ceil((now - first) / 400));
        const points = [];
        for (let row = first; row <= now; row += stride) {
          points.push(this.project(...[0, 1, 2].map((i) => run.positions.at(row, 3 * node + i))));
        }
        points.push(this.project(...moment.place(node)));
        for (let shade = 0; shade < SHADES; shade++) { // older is paler
          const [from, to] = [shade, shade + 1].map((part) => Math.floor((part * (points.length - 1)) / SHADES));
          pen.globalAlpha = 0.12 + (0.75 * shade) / (SHADES - 1);
          pen.beginPath();
          for (let k = from; k <= to; k++) pen.lineTo(points[k][0], points[k][1]);
          pen.stroke();
        }
        pen.globalAlpha = 1;
      });
    });
  }
}

/** Nodes with a trail: all of a small structure, else the selected one and those in the chart. */
function trailed(run, number, { selection, charted }) {
  const count = run.structure.nodes.length;
  if (count <= MOST_TRAILS) return Array.from({ length: count }, (_, k) => k);
  const names = charted.filter((one) => one.kind === "node").map((one) => one.name);
  const found = names.map((name) => run.index.node.get(name)).filter((k) => k !== undefined);
  if (selection?.kind === "node" && selection.run === number) found.push(selection.index);
  return [...new Set(found)];
}

const short = (name) => (name.length > 40 ? `${name.slice(0, 39)}…` : name);
