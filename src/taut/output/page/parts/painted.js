// The drawing on a plain canvas: for browsers without WebGL2, and for live motions where the processor draws, which
// takes a small part of the time that WebGL takes there. Members are lines, the farthest first; it looks much the same.
import { colour, rgb, scaleBytes } from "./colours.js";
import { drawingSizes, floorLines } from "./layers.js";
import { arrowScale, clamp, cross, unit } from "./maths.js";
import { Underfoot } from "./underfoot.js";

const FINEST = 2; // pixels of the drawing for one of the page
const LATE = 0.02; // [s] between pictures of a live motion, beyond which they are drawn in fewer pixels
const EARLY = 0.0172; // [s] below which in more again
const BLURRED = 0.5; // pixels of the drawing for one of the page, at least
const ROUNDED = 400; // members up to which bars and nodes are shaded as round
const SHADED = 400; // members up to which each has a shadow
const HAZE = 0.55; // how far things fade into the background at most
const STOPS = 8; // of a fading ground
const NAMES = ["bar", "compression", "plate", "node", "support", "grid", "push", "unknown", "load", "reaction", "contact", "ground", "shadow", "select"];

const mixed = (a, b, share) => [0, 1, 2].map((k) => a[k] + share * (b[k] - a[k]));
const scaled = (a, by) => a.map((part) => Math.min(1, part * by));
const css = (c) => `rgb(${Math.round(255 * c[0])} ${Math.round(255 * c[1])} ${Math.round(255 * c[2])})`;

export class PaintedScene {
  constructor(canvas, runs, camera) {
    const pen = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
    Object.assign(this, { canvas, runs, camera, pen, card: false, painted: true, sharpness: 1, late: 0, drawn: 0, moments: [] });
    this.sizes = drawingSizes(runs);
    this.floor = floorLines(runs, this.sizes);
    this.grounds = runs.map((run) => new Underfoot(run.grounds));
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
    const { clientWidth, clientHeight } = this.canvas;
    const [low, high] = this.sizes.bounds;
    const far = Math.hypot(...[0, 1, 2].map((i) => Math.max(Math.abs(low[i] - this.camera.target[i]), Math.abs(high[i] - this.camera.target[i]))));
    return this.camera.matrices(clientWidth || 1, clientHeight || 1, 1.2 * far + 2 * this.sizes.size);
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
    if (look.grid) this.drawFloor();
    if (look.ground) this.runs.forEach((_, k) => this.drawGround(k));
    this.moments.forEach((moment, k) => {
      if (look.ground && look.shadow && this.grounds[k].count && this.members <= SHADED) this.drawShadow(moment, this.grounds[k], look);
      if (look.ground && look.footprints) this.drawFootprints(moment);
    });
    const things = this.moments.flatMap((moment) => this.things(moment, look)).sort((a, b) => b.depth - a.depth);
    for (const thing of things) thing.paint(thing);
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

  // --- what everything stands on

  drawFloor() {
    const { places } = this.floor;
    for (let k = 0; k < places.length; k += 8) {
      const ends = this.lens.clipped([[places[k], places[k + 1], places[k + 2]], [places[k + 4], places[k + 5], places[k + 6]]]);
      if (ends.length === 2) this.stroke(...ends, 1, css(mixed(this.background, this.colours.grid, 0.55)));
    }
  }

  drawGround(k) {
    const { pen, lens } = this;
    const ground = this.grounds[k];
    const found = ground.triangles.map(({ corners, normal }) => ({ corners: lens.clipped(corners), light: lens.light(normal) }));
    if (ground.count > 64) found.sort((a, b) => (b.corners[0]?.depth ?? 0) - (a.corners[0]?.depth ?? 0));
    for (const { corners, light } of found) {
      if (corners.length < 3) continue;
      const hue = scaled(this.colours.ground, light);
      const style = ground.count > 64 ? this.faded(hue, corners[0].depth) : this.fading(corners, hue);
      this.fill(corners, style);
      pen.strokeStyle = style; // no seams between triangles
      pen.lineWidth = 1;
      pen.stroke();
    }
  }

  /** A colour that fades with depth over a flat face: one over the depth goes evenly over the picture. */
  fading(corners, hue) {
    const { lens, pen } = this;
    const even = ({ depth }) => (lens.flat ? depth : 1 / depth);
    const [a, b, c] = widest(corners);
    const area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    if (Math.abs(area) < 1) return this.faded(hue, a.depth);
    const [db, dc] = [even(b) - even(a), even(c) - even(a)];
    const slope = [(db * (c.y - a.y) - dc * (b.y - a.y)) / area, (dc * (b.x - a.x) - db * (c.x - a.x)) / area];
    const steep = slope[0] ** 2 + slope[1] ** 2;
    const [near, far] = [lens.fog, lens.fog + lens.reach].map((depth) => even({ depth: Math.max(depth, 1e-9) }));
    if (!(steep > 0) || near === far) return this.faded(hue, a.depth);
    const at = (value) => [0, 1].map((axis) => [a.x, a.y][axis] + ((value - even(a)) * slope[axis]) / steep);
    const gradient = pen.createLinearGradient(...at(near), ...at(far));
    for (let k = 0; k <= STOPS; k++) {
      const value = near + (k / STOPS) * (far - near);
      gradient.addColorStop(k / STOPS, this.faded(hue, lens.flat ? value : 1 / value));
    }
    return gradient;
  }

  drawShadow(moment, ground, look) {
    const { pen, lens, sizes } = this;
    const { bars, cables } = moment.run.structure;
    const places = Array.from({ length: moment.nodes.length / 3 }, (_, node) => ground.below(...moment.place(node)));
    const feet = places.map((place) => place && lens.see(...place));
    const soft = 0.02 * sizes.size;
    const dark = look.theme === "dark" ? 0.85 : 0.75;
    const cast = (a, b, radius) => {
      if (!feet[a] || !feet[b] || feet[a].depth <= 0 || feet[b].depth <= 0) return;
      const pixel = (feet[a].pixel + feet[b].pixel) / 2;
      const style = this.faded(this.colours.shadow, (feet[a].depth + feet[b].depth) / 2);
      const full = dark * Math.min(1, 1.6 * Math.sqrt(radius / (radius + soft)));
      for (const [wide, share] of [[radius + soft, 0.35], [radius + 0.4 * soft, 0.5]]) {
        pen.globalAlpha = full * share;
        this.stroke(feet[a], feet[b], (1.3 * wide) / pixel, style);
      }
    };
    for (let k = 0; k < cables.pieces.length; k += 3) cast(cables.pieces[k], cables.pieces[k + 1], sizes.cableRadius);
    for (let k = 0; k < bars.radius.length; k++) cast(bars.ends[2 * k], bars.ends[2 * k + 1], sizes.barRadius(bars.radius[k]));
    pen.globalAlpha = 1;
  }

  drawFootprints({ run, time }) {
    const { footprints } = run;
    const span = run.end - run.begin || 1;
    for (let k = 0; k < footprints.length; k += 7) {
      if (footprints[k + 3] > time + 1e-6 * span) continue;
      const place = [footprints[k], footprints[k + 1], footprints[k + 2]];
      const d = unit([footprints[k + 4], footprints[k + 5], footprints[k + 6]]);
      const s = unit(cross(d, Math.abs(d[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
      const t = cross(d, s);
      const radius = 1.8 * this.sizes.nodeRadius;
      const ring = Array.from({ length: 12 }, (_, i) => (i * Math.PI) / 6).map((angle) => this.lens.see(...place.map((at, axis) => at + radius * (s[axis] * Math.cos(angle) + t[axis] * Math.sin(angle)))));
      if (ring.some(({ depth }) => depth <= 0)) continue;
      const age = clamp((time - footprints[k + 3]) / (0.5 * span), 0, 1);
      this.pen.beginPath();
      for (const { x, y } of ring) this.pen.lineTo(x, y);
      this.pen.closePath();
      this.pen.lineWidth = Math.max(1.5, radius / ring[0].pixel / 3);
      this.pen.strokeStyle = this.faded(mixed(this.colours.contact, this.colours.ground, 0.6 * age), ring[0].depth);
      this.pen.stroke();
    }
  }

  // --- the structure

  /** What is to be painted, each with its depth. */
  things(moment, look) {
    const { lens, sizes, colours } = this;
    const { run } = moment;
    const { bars, cables, plates, supports } = run.structure;
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
    for (let k = 0; k < bars.radius.length; k++) {
      const strong = chosen("bar", k);
      const force = look.colouring === "density" ? moment.barForce[k] / moment.barLength(k) : moment.barForce[k];
      const push = !plain && look.range?.compression > 0 && force < 0 ? Math.min(1, -force / look.range.compression) : 0;
      const hue = strong ? colours.select : mixed(plain ?? colours.bar, colours.compression, push);
      line(at[bars.ends[2 * k]], at[bars.ends[2 * k + 1]], sizes.barRadius(bars.radius[k]) * (strong ? 1.35 : 1), strong ? 2.2 : 1.1, hue, strong, rod);
    }
    const source = look.colouring === "density" ? moment.density : moment.tension;
    for (let k = 0; k < cables.pieces.length; k += 3) {
      const index = cables.pieces[k + 2];
      const strong = chosen("cable", index);
      const slack = source[index] === 0 ? 1 : 0;
      const hue = strong ? colours.select : mixed(plain ?? this.tone(source[index], look.largest || 1), this.background, 0.72 * slack);
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

/** From places to the picture: where, how deep, how large a pixel is there. */
class Lens {
  constructor({ view, projection, pixel }, width, height, fog, reach) {
    Object.assign(this, { view, projection, pixel, width, height, fog, reach, flat: pixel[0] > 0 });
    this.near = this.flat ? -Infinity : 0.02 * Math.max(fog, 1e-9);
  }

  eye(x, y, z) {
    const v = this.view;
    return [0, 1, 2].map((row) => v[row] * x + v[4 + row] * y + v[8 + row] * z + v[12 + row]);
  }

  see(x, y, z) {
    return this.seen(this.eye(x, y, z));
  }

  seen([x, y, z]) {
    const p = this.projection;
    const w = p[11] * z + p[15];
    return { x: ((p[0] * x) / w * 0.5 + 0.5) * this.width, y: (0.5 - (p[5] * y) / w * 0.5) * this.height, depth: this.flat ? Math.max(-z, 1e-9) : -z, pixel: this.pixel[0] - this.pixel[1] * z };
  }

  /** The part of a line or a face that lies before the viewer. */
  clipped(corners) {
    const eyes = corners.map((corner) => this.eye(...corner));
    if (eyes.every((eye) => -eye[2] >= this.near)) return eyes.map((eye) => this.seen(eye));
    const kept = [];
    eyes.forEach((eye, k) => {
      const next = eyes[(k + 1) % eyes.length];
      const [here, there] = [-eye[2] - this.near, -next[2] - this.near];
      if (here >= 0) kept.push(eye);
      if (here * there < 0 && (eyes.length > 2 || !k)) kept.push(eye.map((value, axis) => value + (here / (here - there)) * (next[axis] - value)));
    });
    return kept.map((eye) => this.seen(eye));
  }

  haze(depth) {
    return HAZE * clamp((depth - this.fog) / this.reach, 0, 1);
  }

  /** How bright a face is: lit from the viewer, a little from above. */
  light(normal) {
    const v = this.view;
    const [y, z] = [1, 2].map((row) => v[row] * normal[0] + v[4 + row] * normal[1] + v[8 + row] * normal[2]);
    return Math.min(1.04, 0.58 + 0.36 * Math.abs(z) + 0.1 * y * Math.sign(z || 1));
  }
}

/** The corners of a face that span most of it. */
function widest(corners) {
  let [best, most] = [corners.slice(0, 3), -1];
  for (let k = 1; k + 1 < corners.length; k++) {
    const [a, b, c] = [corners[0], corners[k], corners[k + 1]];
    const area = Math.abs((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y));
    if (area > most) [best, most] = [[a, b, c], area];
  }
  return best;
}
