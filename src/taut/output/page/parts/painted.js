// The drawing on a plain canvas: for browsers without WebGL2, and for live motions where the processor draws, which
// takes a small part of the time that WebGL takes there. Members are lines, the farthest first; it looks much the same.
import { colour, scaleBytes } from "./colours.js";
import { patch } from "./ground.js";
import { drawingSizes, floorLines } from "./layers.js";
import { Lens } from "./lens.js";
import { add, arrowScale, clamp, cross, length, subtract, unit } from "./maths.js";
import { css, drawFloor, drawFootprints, drawGround, drawPatch, drawShadow, mixed, scaled } from "./paintedground.js";
import { Underfoot } from "./underfoot.js";

const FINEST = 2; // pixels of the drawing for one of the page
const LATE = 0.02; // [s] between pictures of a live motion, beyond which they are drawn in fewer pixels
const EARLY = 0.0172; // [s] below which in more again
const BLURRED = 0.5; // pixels of the drawing for one of the page, at least
const ROUNDED = 400; // members up to which bars and nodes are shaded as round
const SHADED = 400; // members up to which each has a shadow in a live motion
const NAMES = ["bar", "compression", "plate", "node", "support", "grid", "push", "unknown", "load", "reaction", "contact", "ground", "shadow", "select"];

export class PaintedScene {
  /** whole: shadows of however many members, as long as that takes. */
  constructor(canvas, runs, camera, { whole = false } = {}) {
    const pen = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
    if (!pen) throw new Error("this browser has no WebGL2 and no plain canvas either, or they are switched off");
    Object.assign(this, { canvas, runs, camera, pen, card: false, painted: true, sharpness: 1, late: 0, drawn: 0, moments: [] });
    this.sizes = drawingSizes(runs);
    this.floor = floorLines(runs, this.sizes);
    this.patch = patch(this.sizes);
    this.grounds = runs.map((run) => Object.assign(new Underfoot(run.grounds.length ? run.grounds : this.patch.corners), { alone: !run.grounds.length, again: run.groundAgain }));
    this.shaded = whole ? Infinity : SHADED;
    this.members = runs.reduce((sum, { structure: s }) => sum + s.bars.names.length + s.cables.names.length, 0);
    this.repaint();
  }

  repaint() {
    this.colours = Object.fromEntries(NAMES.map((name) => [name, colour(name)]));
    this.background = colour("scene");
    const bytes = scaleBytes();
    this.scale = Array.from({ length: 256 }, (_, k) => [0, 1, 2].map((c) => bytes[4 * k + c] / 255));
  }

  resize() {
    const ratio = this.sharpness * Math.min(window.devicePixelRatio || 1, FINEST);
    const wanted = [this.canvas.clientWidth, this.canvas.clientHeight].map((side) => Math.max(1, Math.round(side * ratio)));
    if (this.canvas.width === wanted[0] && this.canvas.height === wanted[1]) return false;
    [this.canvas.width, this.canvas.height] = wanted;
    return true;
  }

  /** Draw in fewer pixels while pictures of a live motion come late, and in all of them when it rests. */
  keepUp(seconds, lively) {
    if (!lively) {
      this.sharpness = 1;
      return;
    }
    this.late = 0.9 * this.late + 0.1 * Math.min(seconds, 0.2);
    const wanted = this.late > LATE ? this.sharpness * 0.8 : this.late < EARLY ? this.sharpness * 1.25 : this.sharpness;
    const kept = clamp(wanted, BLURRED, 1);
    if (kept === this.sharpness || performance.now() - (this.changed ?? 0) < 700) return;
    Object.assign(this, { sharpness: kept, changed: performance.now() });
  }

  update(moments) {
    this.moments = moments;
  }

  matrices() {
    return this.camera.matricesOn(this.canvas, this.sizes);
  }

  draw(look) {
    const { pen, canvas } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    this.lens = new Lens(this.matrices(), width, height, this.camera.distance - 0.1 * this.sizes.size, 1.6 * this.sizes.size);
    pen.setTransform(canvas.width / (width || 1), 0, 0, canvas.height / (height || 1), 0, 0);
    pen.fillStyle = css(this.background);
    pen.fillRect(0, 0, width, height);
    pen.lineCap = "round";
    pen.lineJoin = "round";
    if (look.grid) drawFloor(this);
    if (look.ground) this.grounds.filter(({ again }) => !again).forEach((ground) => (ground.alone ? drawPatch(this) : drawGround(this, ground)));
    this.moments.forEach((moment, k) => {
      if (look.ground && look.shadow && this.grounds[k].count && this.members <= this.shaded) drawShadow(this, moment, this.grounds[k], look);
      if (look.ground && look.footprints) drawFootprints(this, moment);
    });
    const things = this.moments.flatMap((moment) => this.things(moment, look)).sort((a, b) => b.depth - a.depth);
    for (const thing of things) thing.paint(thing);
    if (look.driven) for (const moment of this.moments) for (const one of moment.run.driven) this.ring(moment, one);
    this.drawn += 1;
  }

  faded(hue, depth) {
    return css(mixed(hue, this.background, this.lens.haze(depth)));
  }

  stroke(a, b, width, style) {
    const { pen } = this;
    pen.strokeStyle = style;
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(a.x, a.y);
    pen.lineTo(b.x, b.y);
    pen.stroke();
  }

  fill(corners, style) {
    const { pen } = this;
    pen.fillStyle = style;
    pen.beginPath();
    for (const { x, y } of corners) pen.lineTo(x, y);
    pen.closePath();
    pen.fill();
  }

  disc(at, radius, style) {
    const { pen } = this;
    pen.fillStyle = style;
    pen.beginPath();
    pen.arc(at.x, at.y, radius, 0, 2 * Math.PI);
    pen.fill();
  }

  /** A driven member: the drum that winds it. */
  ring(moment, one) {
    const at = this.lens.see(...moment.middle(one));
    if (at.depth <= 0) return;
    this.disc(at, 5, css(this.background));
    Object.assign(this.pen, { strokeStyle: css(this.colours.load), lineWidth: 2 });
    this.pen.stroke();
  }

  // --- the structure

  /** What is to be painted, each with its depth. */
  things(moment, look) {
    const { lens, sizes, colours } = this;
    const { run } = moment;
    const { bars, cables, plates, pulleys, supports } = run.structure;
    const plain = look.runColour(run);
    const chosen = (kind, k) => look.selection && look.selection.run === run.number && look.selection.kind === kind && look.selection.index === k;
    const round = this.members <= ROUNDED;
    const at = Array.from({ length: moment.nodes.length / 3 }, (_, k) => lens.see(moment.nodes[3 * k], moment.nodes[3 * k + 1], moment.nodes[3 * k + 2]));
    const found = [];
    const line = (a, b, radius, least, hue, strong, body) => {
      if (a.depth <= 0 || b.depth <= 0) return;
      const depth = (a.depth + b.depth) / 2;
      const width = 2 * Math.max((2 * radius) / (a.pixel + b.pixel), least);
      found.push({ depth, a, b, width, hue: strong ? hue : mixed(hue, this.background, lens.haze(depth)), paint: body });
    };
    const cord = ({ a, b, width, hue }) => this.stroke(a, b, width, css(hue));
    const rod = ({ a, b, width, hue }) => {
      this.stroke(a, b, width, css(scaled(hue, round && width > 4 ? 0.72 : 0.94)));
      if (round && width > 4) for (const [share, light] of [[0.66, 0.92], [0.3, 1.04]]) this.stroke(a, b, share * width, css(scaled(hue, light)));
    };
    for (let k = 0; k < plates.faces.length && look.plates; k += 4) {
      const corners = [0, 1, 2].map((i) => at[plates.faces[k + i]]);
      if (corners.some(({ depth }) => depth <= 0)) continue;
      const [a, b, c] = [0, 1, 2].map((i) => moment.place(plates.faces[k + i]));
      const light = lens.light(unit(cross(b.map((v, i) => v - a[i]), c.map((v, i) => v - a[i]))));
      const depth = (corners[0].depth + corners[1].depth + corners[2].depth) / 3;
      const style = this.faded(scaled(plain ?? colours.plate, light), depth);
      found.push({ depth, paint: () => this.fill(corners, style) });
    }
    if (look.pulleys) pulleys.radius.forEach((radius, k) => this.addPulley(found, radius, [0, 1, 2].map((i) => moment.place(pulleys.nodes[3 * k + i])), plain));
    for (let k = 0; k < bars.radius.length; k++) {
      const strong = chosen("bar", k);
      const value = !plain && look.range?.compression > 0 ? moment.barShade(look.colouring, k) : 0;
      const push = value > 0 ? Math.min(1, value / look.range.compression) : 0;
      const hue = strong ? colours.select : mixed(plain ?? colours.bar, colours.compression, push);
      line(at[bars.ends[2 * k]], at[bars.ends[2 * k + 1]], sizes.barRadius(bars.radius[k]) * (strong ? 1.35 : 1), strong ? 2.2 : 1.1, hue, strong, rod);
    }
    for (let k = 0; k < cables.pieces.length; k += 3) {
      const index = cables.pieces[k + 2];
      const strong = chosen("cable", index);
      const value = moment.cableShade(look.colouring, index);
      const slack = value === 0 ? 1 : 0;
      const hue = strong ? colours.select : mixed(plain ?? this.tone(value, look.largest || 1), this.background, 0.72 * slack);
      line(at[cables.pieces[k]], at[cables.pieces[k + 1]], sizes.cableRadius * (strong ? 1.6 : 1) * (1 - 0.35 * slack), strong ? 2 : 0.85, hue, strong, cord);
    }
    if (look.nodes) {
      at.forEach((place, k) => {
        if (place.depth <= 0) return;
        const strong = chosen("node", k);
        const radius = Math.max((sizes.nodeRadius * (strong ? 1.5 : 1)) / place.pixel, strong ? 4.5 : 1.3);
        const hue = strong ? colours.select : mixed(plain ?? colours.node, this.background, lens.haze(place.depth));
        found.push({ depth: place.depth - 2 * sizes.nodeRadius, paint: () => {
          this.disc(place, radius, css(scaled(hue, 0.88)));
          if (round && radius > 3) this.disc({ x: place.x, y: place.y - 0.12 * radius }, 0.6 * radius, css(scaled(hue, 1.04)));
        } });
      });
    }
    if (look.supports) for (const support of supports) this.addSupport(found, support, moment, at);
    run.arrows.forEach((arrow, k) => look[arrow.name] && arrow.largest > 0 && this.addArrows(found, arrow, moment, k));
    return found;
  }

  tone(value, largest) {
    if (!Number.isFinite(value)) return this.colours.unknown;
    return value < 0 ? this.colours.push : this.scale[Math.round(255 * Math.min(value / largest, 1))];
  }

  /** A disc about a place, in the plane through it and two others; its rim is darker. */
  addPulley(found, radius, [middle, one, other], plain) {
    const [a, b] = [subtract(one, middle), subtract(other, middle)];
    const normal = cross(a, b);
    if (!(length(normal) > 1e-6 * length(a) * length(b))) return;
    const [first, second] = [unit(a), unit(cross(normal, a))];
    const turn = (k) => add(add(middle, first, radius * Math.cos((k * Math.PI) / 16)), second, radius * Math.sin((k * Math.PI) / 16));
    const corners = Array.from({ length: 32 }, (_, k) => this.lens.see(...turn(k)));
    const { depth, pixel } = this.lens.see(...middle);
    if (depth <= 0 || corners.some((corner) => corner.depth <= 0)) return;
    const hue = plain ?? this.colours.plate;
    const [face, rim] = [this.lens.light(unit(normal)), 0.7].map((light) => this.faded(scaled(hue, light), depth));
    found.push({ depth, paint: () => {
      this.fill(corners, face);
      Object.assign(this.pen, { strokeStyle: rim, lineWidth: Math.max(1, (1.6 * this.sizes.cableRadius) / pixel) });
      this.pen.stroke();
    } });
  }

  addSupport(found, { node, axes }, moment, at) {
    const size = this.sizes.support;
    const sides = { x: [-0.6, 0, 0], y: [0, 0.6, 0], z: [0, 0, -0.6] };
    for (const way of axes.length === 3 ? [[0, 0, -1]] : [...axes].map((axis) => sides[axis])) {
      const place = moment.place(node);
      const wide = 0.5 * size * Math.hypot(...way);
      const foot = place.map((value, axis) => value + size * way[axis]);
      const { right, over } = this.camera.axes();
      const along = Math.abs(way[2]) ? right : over;
      const corners = [at[node], ...[-1, 1].map((side) => this.lens.see(...foot.map((value, axis) => value + side * wide * along[axis])))];
      if (corners.some(({ depth }) => depth <= 0)) continue;
      const style = this.faded(scaled(this.colours.support, 0.94), at[node].depth);
      found.push({ depth: at[node].depth + 0.5 * size, paint: () => this.fill(corners, style) });
    }
  }

  addArrows(found, arrow, moment, k) {
    arrow.nodes.forEach((node, i) => {
      const force = moment.arrows[k].subarray(3 * i, 3 * i + 3);
      const scale = arrowScale(force, arrow.largest, this.sizes.arrow);
      const reach = Array.from(force, (part) => (part || 0) * scale);
      const size = Math.hypot(...reach);
      if (!(size > 0)) return;
      const [here, there] = [moment.place(node), moment.place(arrow.others?.[i] ?? node)];
      const share = moment.shares[k] ? moment.shares[k][i] : 0;
      const anchor = here.map((value, axis) => value + share * (there[axis] - value));
      const tail = arrow.anchor === "tip" ? anchor.map((value, axis) => value - reach[axis]) : anchor;
      const head = Math.min(0.26 * this.sizes.arrow, 0.6 * size) / size;
      const [a, neck, tip] = [0, 1 - head, 1].map((part) => this.lens.see(...tail.map((value, axis) => value + part * reach[axis])));
      if (a.depth <= 0 || tip.depth <= 0) return;
      const width = (0.07 * this.sizes.arrow * Math.min(1, size / (0.26 * this.sizes.arrow))) / tip.pixel;
      const [dx, dy] = [tip.x - a.x, tip.y - a.y];
      const long = Math.hypot(dx, dy) || 1;
      const [sx, sy] = [(-dy / long) * width, (dx / long) * width];
      const style = this.faded(this.colours[arrow.name], tip.depth);
      found.push({ depth: (a.depth + tip.depth) / 2, paint: () => {
        this.stroke(a, neck, 0.68 * width, style);
        this.fill([tip, { x: neck.x + sx, y: neck.y + sy }, { x: neck.x - sx, y: neck.y - sy }], style);
      } });
    });
  }
}
