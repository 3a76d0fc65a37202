// Vectors and 4 x 4 matrices (column by column, as WebGL wants them).

export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const add = (a, b, factor = 1) => [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]];
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

export function unit(a) {
  const size = length(a) || 1;
  return [a[0] / size, a[1] / size, a[2] / size];
}

export function lookAt(eye, target, up) {
  const back = unit(subtract(eye, target));
  const right = unit(cross(up, back));
  const over = cross(back, right);
  return new Float32Array([
    right[0], over[0], back[0], 0, right[1], over[1], back[1], 0, right[2], over[2], back[2], 0,
    -dot(right, eye), -dot(over, eye), -dot(back, eye), 1,
  ]);
}

export function perspective(slope, aspect, near, far) {
  const depth = 1 / (near - far);
  return new Float32Array([
    1 / (slope * aspect), 0, 0, 0, 0, 1 / slope, 0, 0, 0, 0, (near + far) * depth, -1, 0, 0, 2 * near * far * depth, 0,
  ]);
}

export function orthographic(half, aspect, near, far) {
  const depth = 1 / (near - far);
  return new Float32Array([
    1 / (half * aspect), 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, 2 * depth, 0, 0, 0, (near + far) * depth, 1,
  ]);
}

export function median(values) {
  const known = Array.from(values).filter((v) => v > 0).sort((a, b) => a - b);
  return known.length ? known[known.length >> 1] : 0;
}

/** How long a force is drawn for each newton: the usual length stands for `largest`, and none is longer. */
export function arrowScale([x, y, z], largest, usual) {
  const size = Math.hypot(x || 0, y || 0, z || 0);
  return usual / Math.max(largest || 1, size);
}
