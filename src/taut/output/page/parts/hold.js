// Taking hold of a node of a live motion, and colours that go as far as its forces.
import { projector } from "./picking.js";

const NEAR = { fine: 13, coarse: 28 }; // how far from a node a press may be [px], of a mouse and of a finger

/** A function from a press on the scene to what it takes hold of: a node that is free to move, or null. */
export function grabber(live, moment, scene, holds = () => false) {
  return (x, y, coarse) => {
    if (!live?.on || live.ended || !(live.running || live.settling)) return null;
    const { nodes, supports } = moment.run.structure;
    const project = projector(scene);
    let best = null;
    for (let node = 0; node < nodes.length; node++) {
      const [px, py, depth, pixel] = project(...moment.place(node));
      const away = Math.hypot(px - x, py - y);
      if (depth > 0 && away < (coarse ? NEAR.coarse : NEAR.fine) && (!best || away < best.away)) best = { node, away, pixel };
    }
    if (!best) return null;
    live.drop();
    live.grab(best.node, moment.place(best.node), supports.some((held) => held.node === best.node && held.axes.length === 3));
    return {
      move(dx, dy) {
        const { right, over } = scene.camera.axes();
        if (live.hand) live.move(live.hand.place.map((value, axis) => value + best.pixel * (dx * right[axis] - dy * over[axis])));
      },
      drop: () => live.drop({ hold: holds() }),
    };
  };
}

/** Widen the range of colours where forces are beyond it; whether that was so. */
export function widened(moment, look, colouring) {
  const most = { largest: 0, compression: 0 };
  for (let k = 0; k < moment.tension.length; k++) most.largest = Math.max(most.largest, moment.cableShade(colouring, k) || 0);
  for (let k = 0; k < moment.barForce.length; k++) most.compression = Math.max(most.compression, moment.barShade(colouring, k) || 0);
  const grown = Object.keys(most).filter((key) => Number.isFinite(most[key]) && most[key] > 1.02 * look.range[key]);
  for (const key of grown) look.range[key] = 1.1 * most[key];
  look.largest = look.range.largest;
  return grown.length > 0;
}
