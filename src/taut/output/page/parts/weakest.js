// The weakest mode of a structure at rest, from accelerations that the kernels give at places beside it: A x is how they
// change along x. On motions that bars and supports allow, A is -K of M's inner product; Lanczos finds where it is least.

const NUDGE = 1e-6; // of the structure's size, how far beside
const MOST = 720; // coordinates; of more it takes too long here
const DEPENDENT = 1e-9; // of a bar's row, what is left of it where others say the same
const FREE = 1e-9; // of the highest, an eigenvalue that is zero

/** { frequency, shape } of the weakest mode, or { refused }. frequency [Hz] is negative where it is unstable. */
export function weakest(live) {
  const { given, engine, run } = live;
  const n = 3 * given.weighing.length;
  if (given.grounded) return { refused: "Its weakest mode is not told here: contacts hold it. In Python: taut.modes." };
  if (given.constrained) return { refused: "Its weakest mode is not told here, since it has constraints. In Python: taut.modes." };
  if (n > MOST) return { refused: `Its weakest mode is not told here: ${n} coordinates are more than ${MOST}. In Python: taut.modes.` };
  const q = engine.sample.slice(0, n);
  const size = Math.max(...[0, 1, 2].map((axis) => spread(q, axis)));
  const held = heldCoordinates(run.structure, n);
  const { own, coupling } = given.mass;
  const { ends } = run.structure.bars;
  const weighted = (x) => {
    const out = Float64Array.from(x, (value, k) => own[Math.floor(k / 3)] * value);
    for (let bar = 0; bar < coupling.length; bar++) {
      for (let axis = 0; axis < 3; axis++) {
        const [i, j] = [3 * ends[2 * bar] + axis, 3 * ends[2 * bar + 1] + axis];
        out[i] += coupling[bar] * x[j];
        out[j] += coupling[bar] * x[i];
      }
    }
    return out;
  };
  const rigid = given.bars.map(({ row }, bar) => (row >= 0 && !engine.gone.has(`bar ${bar}`) ? bar : -1)).filter((bar) => bar >= 0);
  const stretches = independent(rigid.map((bar) => stretching(q, ends[2 * bar], ends[2 * bar + 1], held)));
  const allowed = (x) => {
    for (let k = 0; k < n; k++) if (held[k]) x[k] = 0;
    return stripped(x, stretches);
  };
  const apply = (x) => {
    const nudge = (NUDGE * size) / Math.max(...x.map(Math.abs));
    const [there, back] = [1, -1].map((side) => engine.accelerations(q.map((value, k) => value + side * nudge * x[k])));
    return allowed(there.map((value, k) => (value - back[k]) / (2 * nudge)));
  };
  const standing = held.some(Boolean);
  const aside = standing ? [] : rigidMotions(q, n).map(allowed);
  const motions = n - held.filter(Boolean).length - stretches.length; // bars that are redundant take none
  return lanczos(apply, weighted, allowed, aside, n, motions);
}

/** All motions one after another, so that modes of equal frequency are all found: a structure that is the same after a turn has two. */
function lanczos(apply, weighted, allowed, aside, n, motions) {
  const basis = [];
  const images = []; // M times each
  const [diagonal, beside] = [[], []];
  const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
  const without = (x) => {
    for (let twice = 0; twice < 2; twice++) basis.forEach((b, k) => {
      const share = dot(images[k], x);
      for (let i = 0; i < n; i++) x[i] -= share * b[i];
    });
    return x;
  };
  // Where little is left of a vector round-off is much of it, and would stretch bars: what is left is made long, and cleaned once more.
  const enter = (x) => {
    let left = 0;
    for (const again of [false, true]) {
      without(allowed(x));
      const norm = Math.sqrt(Math.max(0, dot(x, weighted(x))));
      if (!(norm > 0)) return 0;
      for (let i = 0; i < n; i++) x[i] /= norm;
      if (!again) left = norm;
    }
    basis.push(x);
    images.push(weighted(x));
    return left;
  };
  for (const motion of aside) {
    const before = Math.sqrt(dot(motion, weighted(motion)));
    without(motion);
    if (Math.sqrt(dot(motion, weighted(motion))) > 1e-8 * before) enter(motion); // a line turns about itself without moving
  }
  const first = basis.length;
  if (first >= motions || !enter(noise(n, 12345))) return { refused: "Its weakest mode is not told here: it has as many bars and supports as motions. In Python: taut.modes." };
  for (let k = first; k < motions; k++) {
    const image = apply(basis[k]);
    diagonal.push(dot(images[k], image));
    if (k + 1 === motions) break;
    const left = enter(image);
    if (!left && !enter(noise(n, 12345 + k))) break; // it reached no further; the others are begun with afresh
    beside.push(left);
  }
  const value = highest(diagonal, beside);
  const lowest = -highest(diagonal.map((one) => -one), beside);
  const shares = vectorOf(diagonal, beside, value);
  const shape = new Float64Array(n);
  shares.forEach((share, k) => basis[first + k].forEach((part, i) => {
    shape[i] += share * part;
  }));
  const longest = Math.max(...Array.from({ length: n / 3 }, (_, k) => Math.hypot(...shape.subarray(3 * k, 3 * k + 3))));
  const free = Math.abs(value) < FREE * Math.abs(lowest);
  const frequency = free ? 0 : (Math.sign(-value) * Math.sqrt(Math.abs(value))) / (2 * Math.PI);
  return { frequency, shape: shape.map((part) => part / longest) };
}

/** How many eigenvalues of a symmetric matrix of three diagonals are above a number. */
function above(diagonal, beside, number) {
  let [count, pivot] = [0, 1];
  diagonal.forEach((value, k) => {
    pivot = value - number - (k ? beside[k - 1] ** 2 / pivot : 0);
    if (pivot === 0) pivot = 1e-300;
    if (pivot > 0) count += 1;
  });
  return count;
}

function highest(diagonal, beside) {
  const reach = diagonal.map((value, k) => Math.abs(value) + Math.abs(beside[k] ?? 0) + Math.abs(beside[k - 1] ?? 0));
  let [low, high] = [-Math.max(...reach), Math.max(...reach)];
  for (let k = 0; k < 200 && high - low > 1e-15 * Math.max(Math.abs(low), Math.abs(high)); k++) {
    const middle = (low + high) / 2;
    if (above(diagonal, beside, middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The eigenvector of the highest eigenvalue, by inverse iteration just above it. */
function vectorOf(diagonal, beside, value) {
  const size = diagonal.length;
  const shifted = value + 1e-10 * Math.max(Math.abs(value), 1e-6 * Math.max(...diagonal.map(Math.abs)));
  let x = Array.from({ length: size }, (_, k) => 1 + 0.1 * Math.sin(k));
  for (let round = 0; round < 4; round++) {
    const [pivots, right] = [[diagonal[0] - shifted], [x[0]]];
    for (let k = 1; k < size; k++) {
      const share = beside[k - 1] / pivots[k - 1];
      pivots.push(diagonal[k] - shifted - share * beside[k - 1]);
      right.push(x[k] - share * right[k - 1]);
    }
    const next = new Array(size);
    for (let k = size - 1; k >= 0; k--) next[k] = (right[k] - (k + 1 < size ? beside[k] * next[k + 1] : 0)) / pivots[k];
    const norm = Math.hypot(...next);
    x = next.map((one) => one / norm);
  }
  return x;
}

/** The motion that stretches a bar most, of unit length but where supports hold its ends. */
function stretching(q, a, b, held) {
  const row = new Float64Array(held.length);
  const d = [0, 1, 2].map((axis) => q[3 * b + axis] - q[3 * a + axis]);
  for (let axis = 0; axis < 3; axis++) {
    for (const [node, sign] of [[a, -1], [b, 1]]) if (!held[3 * node + axis]) row[3 * node + axis] = (sign * d[axis]) / (Math.SQRT2 * Math.hypot(...d));
  }
  return row;
}

/** Rows made orthonormal, each against those before it; those that say nothing more are left out. */
function independent(rows) {
  const found = [];
  for (const row of rows) {
    const left = stripped(row, found);
    const norm = Math.hypot(...left);
    if (norm > DEPENDENT) found.push(left.map((value) => value / norm));
  }
  return found;
}

/** Take out of x what it has of orthonormal vectors; twice, since once leaves round-off. */
function stripped(x, vectors) {
  for (let twice = 0; twice < 2; twice++) {
    for (const vector of vectors) {
      let share = 0;
      for (let k = 0; k < x.length; k++) share += vector[k] * x[k];
      if (share !== 0) for (let k = 0; k < x.length; k++) x[k] -= share * vector[k];
    }
  }
  return x;
}

function heldCoordinates({ supports }, n) {
  const held = new Array(n).fill(false);
  for (const { node, axes } of supports) for (const axis of axes) held[3 * node + "xyz".indexOf(axis)] = true;
  return held;
}

const spread = (q, axis) => {
  const own = q.filter((_, k) => k % 3 === axis);
  return Math.max(...own) - Math.min(...own);
};

function rigidMotions(q, n) {
  const made = (speed) => Float64Array.from({ length: n }, (_, k) => speed(Math.floor(k / 3))[k % 3]);
  const at = (node) => [q[3 * node], q[3 * node + 1], q[3 * node + 2]];
  return [
    ...[0, 1, 2].map((axis) => made(() => [0, 1, 2].map((other) => Number(other === axis)))),
    made((node) => [0, -at(node)[2], at(node)[1]]), made((node) => [at(node)[2], 0, -at(node)[0]]), made((node) => [-at(node)[1], at(node)[0], 0]),
  ];
}

/** The same numbers every time. */
function noise(n, seed) {
  return Float64Array.from({ length: n }, () => {
    seed = (1103515245 * seed + 12345) % 2147483648;
    return seed / 1073741824 - 1;
  });
}
