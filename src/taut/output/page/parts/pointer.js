// Mouse, pen and fingers on the scene: turn, move, zoom, choose.

const CLICK = 5; // a press that moved less than this [px] is a click

export function listen(canvas, camera, { size, moved, clicked, doubled, grab = () => null }) {
  const down = new Map();
  let travelled = 0;
  let held = null; // what the pointer has taken hold of

  const spread = () => {
    const [a, b] = [...down.values()];
    return { gap: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (!down.size) travelled = 0;
    const box = canvas.getBoundingClientRect();
    if (!down.size && event.button === 0 && !event.shiftKey) held = grab(event.clientX - box.left, event.clientY - box.top, event.pointerType === "touch");
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    travelled += Math.hypot(dx, dy);
    const pair = down.size === 2 ? spread() : null;
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (held) held.move(dx, dy);
    else if (pair) {
      const now = spread();
      camera.zoom(pair.gap / Math.max(now.gap, 1), size);
      camera.pan(now.x - pair.x, now.y - pair.y, canvas.clientHeight);
    } else if (event.shiftKey || event.buttons & 6) camera.pan(dx, dy, canvas.clientHeight);
    else camera.turn(dx * 0.0075, dy * 0.0075);
    if (travelled > CLICK) moved();
  });
  const up = (event) => {
    if (held) {
      held.drop();
      held = null;
    }
    if (down.delete(event.pointerId) && event.type === "pointerup" && travelled <= CLICK && !down.size && event.button === 0) {
      const box = canvas.getBoundingClientRect();
      clicked(event.clientX - box.left, event.clientY - box.top);
    }
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("dblclick", doubled);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const notches = event.deltaY * (event.deltaMode ? 16 : 1);
    camera.zoom(Math.exp(Math.max(-80, Math.min(80, notches)) * 0.0022), size);
    moved();
  }, { passive: false });
}
