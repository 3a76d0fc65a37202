// From places to pixels and back: what is under the pointer.

const REACH = 7; // how far from a thing one may click [px]

/** A function from a position to [x, y, depth] on the page, with pixel sizes at that depth. */
export function projector(scene) {
  const { view: v, projection: p, pixel } = scene.matrices();
  const { clientWidth: width, clientHeight: height } = scene.canvas;
  return (x, y, z) => {
    const ex = v[0] * x + v[4] * y + v[8] * z + v[12];
    const ey = v[1] * x + v[5] * y + v[9] * z + v[13];
    const ez = v[2] * x + v[6] * y + v[10] * z + v[14];
    const w = p[11] * ez + p[15];
    return [((p[0] * ex) / w * 0.5 + 0.5) * width, (0.5 - (p[5] * ey) / w * 0.5) * height, -ez, pixel[0] + pixel[1] * -ez];
  };
}

/** The node, bar or cable under a point of the scene: the nearest one it lies on, else the closest within reach. */
export function pick(scene, moments, look, x, y) {
  const project = projector(scene);
  let best = null;
  const offer = (found, distance, half, depth) => {
    const off = Math.max(0, distance - half);
    if (off > REACH) return;
    const better = !best || (off === 0 && best.off === 0 ? depth < best.depth : off < best.off);
    if (better) best = { ...found, off, depth };
  };
  moments.forEach((moment, number) => {
    const { nodes, run } = moment;
    const at = [];
    for (let k = 0; k < nodes.length; k += 3) at.push(project(nodes[k], nodes[k + 1], nodes[k + 2]));
    if (look.nodes) {
      at.forEach(([px, py, depth, pixel], index) => {
        const radius = scene.sizes.nodeRadius;
        const half = Math.max(radius / pixel, 3);
        if (depth > 0) offer({ run: number, kind: "node", index }, Math.hypot(px - x, py - y), half, depth - 2 * radius);
      });
    }
    const member = (kind, index, a, b, radius) => {
      const [ax, ay, az, ap] = at[a];
      const [bx, by, bz, bp] = at[b];
      if (az <= 0 || bz <= 0) return;
      const [dx, dy] = [bx - ax, by - ay];
      const share = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
      const distance = Math.hypot(x - ax - share * dx, y - ay - share * dy);
      offer({ run: number, kind, index }, distance, Math.max(radius / (ap + share * (bp - ap)), 1.5), az + share * (bz - az));
    };
    const { bars, cables } = run.structure;
    for (let k = 0; k < bars.names.length; k++) member("bar", k, bars.ends[2 * k], bars.ends[2 * k + 1], scene.sizes.barRadius(bars.radius[k]));
    for (let k = 0; k < cables.pieces.length; k += 3) member("cable", cables.pieces[k + 2], cables.pieces[k], cables.pieces[k + 1], scene.sizes.cableRadius);
  });
  return best && { run: best.run, kind: best.kind, index: best.index };
}
