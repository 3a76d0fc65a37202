// Where the viewer stands: turns about a target, z is up.
import { add, clamp, lookAt, orthographic, perspective } from "./maths.js";

const SLOPE = Math.tan((32 * Math.PI) / 360);

export const VIEWS = { along_x: [0, 0], along_y: [-90, 0], from_above: [-90, 89.9], askew: [-62, 20] };

export class Camera {
  constructor() {
    this.target = [0, 0, 0];
    this.distance = 1;
    this.flat = false;
    this.fitted = false; // whether nobody went nearer, away or aside since it was last fitted
    this.turnTo("askew");
  }

  turnTo(view) {
    [this.yaw, this.pitch] = VIEWS[view].map((degrees) => (degrees * Math.PI) / 180);
  }

  turn(dx, dy) {
    this.yaw -= dx;
    this.pitch = clamp(this.pitch + dy, -1.569, 1.569);
  }

  zoom(factor, size) {
    this.fitted = false;
    this.distance = clamp(this.distance * factor, 0.01 * size, 200 * size);
  }

  /** Move by pixels of a view that is so many pixels high. */
  pan(dx, dy, height) {
    const scale = (2 * SLOPE * this.distance) / height;
    this.fitted = false;
    const { right, over } = this.axes();
    this.target = add(add(this.target, right, -dx * scale), over, dy * scale);
  }

  axes() {
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    return { back: [cp * cy, cp * sy, sp], right: [-sy, cy, 0], over: [-sp * cy, -sp * sy, cp] };
  }

  /** Stand so that a set of points fills the view, with a margin on each side [px] for what lies over it. least: half of what is in view
   * at least [m], of a node alone or of a bar seen from its end. */
  fit(points, width, height, margins, least) {
    const { back, right, over } = this.axes();
    const inner = { x: Math.max(0.2, 1 - (margins.left + margins.right) / width), y: Math.max(0.2, 1 - (margins.top + margins.bottom) / height) };
    const range = (direction) => {
      let [low, high] = [Infinity, -Infinity];
      for (const p of points) {
        const at = p[0] * direction[0] + p[1] * direction[1] + p[2] * direction[2];
        low = Math.min(low, at);
        high = Math.max(high, at);
      }
      return [low, high];
    };
    const [x, y, z] = [range(right), range(over), range(back)];
    const half = { x: Math.max((x[1] - x[0]) / 2, least), y: Math.max((y[1] - y[0]) / 2, least) };
    const aspect = width / height;
    const needed = Math.max(half.x / (SLOPE * aspect * inner.x), half.y / (SLOPE * inner.y));
    this.distance = needed + (this.flat ? 0 : (z[1] - z[0]) / 2);
    let target = add(add(add([0, 0, 0], right, (x[0] + x[1]) / 2), over, (y[0] + y[1]) / 2), back, (z[0] + z[1]) / 2);
    const scale = (2 * SLOPE * this.distance) / height; // shift to the middle of what the margins leave
    target = add(target, right, ((margins.right - margins.left) / 2) * scale);
    this.target = add(target, over, ((margins.top - margins.bottom) / 2) * scale);
    this.fitted = true;
  }

  /** The matrices that have all of a structure in view, for the size of a canvas on the page [px]. */
  matricesOn({ clientWidth, clientHeight }, { bounds: [low, high], size }) {
    const far = Math.hypot(...[0, 1, 2].map((i) => Math.max(Math.abs(low[i] - this.target[i]), Math.abs(high[i] - this.target[i]))));
    return this.matrices(clientWidth || 1, clientHeight || 1, 1.2 * far + 2 * size);
  }

  matrices(width, height, reach) {
    const { back } = this.axes();
    const eye = add(this.target, back, this.distance);
    const far = this.distance + reach;
    const near = Math.max(this.distance - reach, 0.004 * this.distance);
    const up = Math.abs(back[2]) > 0.9999 ? this.axes().over : [0, 0, 1];
    const half = SLOPE * this.distance;
    return {
      view: lookAt(eye, this.target, up),
      projection: this.flat
        ? orthographic(half, width / height, this.distance - reach, far)
        : perspective(SLOPE, width / height, near, far),
      pixel: this.flat ? [(2 * half) / height, 0] : [0, (2 * SLOPE) / height],
    };
  }
}
