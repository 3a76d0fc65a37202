// What a structure stands on, on a plain canvas: the lines of the floor, grounds, shadows and footprints.
import { clamp, cross, unit } from "./maths.js";

const STOPS = 8; // of a fading ground
const RINGS = 8; // of a floor that fades
const PATCHED = 64; // triangles beyond which each has one colour

export const mixed = (a, b, share) => [0, 1, 2].map((k) => a[k] + share * (b[k] - a[k]));
export const scaled = (a, by) => a.map((part) => Math.min(1, part * by));
export const css = (c) => `rgb(${Math.round(255 * c[0])} ${Math.round(255 * c[1])} ${Math.round(255 * c[2])})`;

export function drawFloor(scene) {
  const { places } = scene.floor;
  for (let k = 0; k < places.length; k += 8) {
    const ends = scene.lens.clipped([[places[k], places[k + 1], places[k + 2]], [places[k + 4], places[k + 5], places[k + 6]]]);
    if (ends.length === 2) scene.stroke(...ends, 1, css(mixed(scene.background, scene.colours.grid, 0.55)));
  }
}

export function drawGround(scene, ground) {
  const { pen, lens } = scene;
  const wide = (corners) => corners.some((corner, k) => Math.hypot(...corner.map((value, axis) => value - corners[(k + 1) % 3][axis])) > 6 * scene.sizes.size);
  const deep = (corners) => corners.reduce((sum, { depth }) => sum + depth, 0) / (corners.length || 1);
  const found = ground.triangles.map(({ corners, normal }) => ({ corners: lens.clipped(corners), light: lens.light(normal), below: wide(corners) }));
  found.forEach((one, k) => {
    const other = ground.count > PATCHED ? one : found[k ^ 1] ?? one; // the two halves of a face go together
    one.deep = (deep(one.corners) + deep(other.corners)) / 2;
  });
  found.sort((a, b) => b.below - a.below || b.deep - a.deep); // a plain lies below all else
  for (const { corners, light } of found) {
    if (corners.length < 3) continue;
    const hue = scaled(scene.colours.ground, light);
    const style = ground.count > PATCHED ? scene.faded(hue, corners[0].depth) : fading(scene, corners, hue);
    scene.fill(corners, style);
    pen.strokeStyle = style; // no seams between triangles
    pen.lineWidth = 1.5;
    pen.stroke();
  }
}

/** The round patch of a floor where no ground is told, one ring over the other. */
export function drawPatch(scene) {
  const { middle, reach } = scene.patch;
  const turn = (share, angle) => scene.lens.see(middle[0] + share * reach * Math.cos(angle), middle[1] + share * reach * Math.sin(angle), scene.sizes.floor);
  scene.pen.globalAlpha = 0.55 / RINGS;
  for (let k = 1; k <= RINGS; k++) {
    const rim = Array.from({ length: 40 }, (_, i) => turn(0.3 + (0.7 * k) / RINGS, (i * Math.PI) / 20));
    if (rim.every(({ depth }) => depth > 0)) scene.fill(rim, css(scaled(scene.colours.ground, 0.9)));
  }
  scene.pen.globalAlpha = 1;
}

/** A colour that fades with depth over a flat face: one over the depth goes evenly over the picture. */
function fading(scene, corners, hue) {
  const { lens, pen } = scene;
  const even = ({ depth }) => (lens.flat ? depth : 1 / depth);
  const [a, b, c] = widest(corners);
  const area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  if (Math.abs(area) < 1) return scene.faded(hue, a.depth);
  const [db, dc] = [even(b) - even(a), even(c) - even(a)];
  const slope = [(db * (c.y - a.y) - dc * (b.y - a.y)) / area, (dc * (b.x - a.x) - db * (c.x - a.x)) / area];
  const steep = slope[0] ** 2 + slope[1] ** 2;
  const [near, far] = [lens.fog, lens.fog + lens.reach].map((depth) => even({ depth: Math.max(depth, 1e-9) }));
  if (!(steep > 0) || near === far) return scene.faded(hue, a.depth);
  const at = (value) => [0, 1].map((axis) => [a.x, a.y][axis] + ((value - even(a)) * slope[axis]) / steep);
  const gradient = pen.createLinearGradient(...at(near), ...at(far));
  for (let k = 0; k <= STOPS; k++) {
    const value = near + (k / STOPS) * (far - near);
    gradient.addColorStop(k / STOPS, scene.faded(hue, lens.flat ? value : 1 / value));
  }
  return gradient;
}

export function drawShadow(scene, moment, ground, look) {
  const { pen, lens, sizes } = scene;
  const { bars, cables } = moment.run.structure;
  const places = Array.from({ length: moment.nodes.length / 3 }, (_, node) => ground.below(...moment.place(node)));
  const feet = places.map((place) => place && lens.see(...place));
  const soft = 0.02 * sizes.size;
  const dark = look.theme === "dark" ? 0.85 : 0.75;
  const cast = (a, b, radius) => {
    if (!feet[a] || !feet[b] || feet[a].depth <= 0 || feet[b].depth <= 0) return;
    const pixel = (feet[a].pixel + feet[b].pixel) / 2;
    const style = scene.faded(scene.colours.shadow, (feet[a].depth + feet[b].depth) / 2);
    const full = dark * Math.min(1, 1.6 * Math.sqrt(radius / (radius + soft)));
    for (const [wide, share] of [[radius + soft, 0.35], [radius + 0.4 * soft, 0.5]]) {
      pen.globalAlpha = full * share;
      scene.stroke(feet[a], feet[b], (1.3 * wide) / pixel, style);
    }
  };
  for (let k = 0; k < cables.pieces.length; k += 3) cast(cables.pieces[k], cables.pieces[k + 1], sizes.cableRadius);
  for (let k = 0; k < bars.radius.length; k++) cast(bars.ends[2 * k], bars.ends[2 * k + 1], sizes.barRadius(bars.radius[k]));
  pen.globalAlpha = 1;
}

export function drawFootprints(scene, { run, time }) {
  const { footprints } = run;
  const span = run.end - run.begin || 1;
  for (let k = 0; k < footprints.length; k += 7) {
    if (footprints[k + 3] > time + 1e-6 * span) continue;
    const place = [footprints[k], footprints[k + 1], footprints[k + 2]];
    const d = unit([footprints[k + 4], footprints[k + 5], footprints[k + 6]]);
    const s = unit(cross(d, Math.abs(d[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
    const t = cross(d, s);
    const radius = 1.8 * scene.sizes.nodeRadius;
    const ring = Array.from({ length: 12 }, (_, i) => (i * Math.PI) / 6).map((angle) => scene.lens.see(...place.map((at, axis) => at + radius * (s[axis] * Math.cos(angle) + t[axis] * Math.sin(angle)))));
    if (ring.some(({ depth }) => depth <= 0)) continue;
    const age = clamp((time - footprints[k + 3]) / (0.5 * span), 0, 1);
    scene.pen.beginPath();
    for (const { x, y } of ring) scene.pen.lineTo(x, y);
    scene.pen.closePath();
    scene.pen.lineWidth = Math.max(1.5, radius / ring[0].pixel / 3);
    scene.pen.strokeStyle = scene.faded(mixed(scene.colours.contact, scene.colours.ground, 0.6 * age), ring[0].depth);
    scene.pen.stroke();
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
