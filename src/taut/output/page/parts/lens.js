// From places to a plain canvas: where, how deep, how bright and how hazy.
import { clamp } from "./maths.js";

const HAZE = 0.55; // how far things fade into the background at most

/** From places to the picture: where, how deep, how large a pixel is there. */
export class Lens {
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
