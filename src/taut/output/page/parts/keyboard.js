// What keys do.
import { element } from "./state.js";

const MOVES = /^(Arrow|Page|Home$|End$)/; // keys by which a slider is moved

export function listenToKeys(actions) {
  const dialog = document.getElementById("keys");
  dialog.querySelector("dl").append(...actions.flatMap(({ keys, words }) => [
    element("dt", { text: keys.map(spoken).join("  ") }), element("dd", { text: words }),
  ]));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target;
    if (field.matches?.("input[type=search], select")) return;
    if (field.matches?.("input[type=range]") && MOVES.test(event.key) && !("scrubs" in field.dataset)) return;
    if (event.key === " " && field.matches?.("button, summary, input[type=checkbox]")) return; // it presses that
    if (dialog.open) return;
    const written = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const pressed = event.code.startsWith("Digit") ? event.code.slice(5) : written; // whatever shift makes of a digit
    for (const key of [written, pressed]) {
      const found = actions.find(({ keys }) => keys.includes(key));
      if (!found) continue;
      event.preventDefault();
      found.act(event, key);
      return;
    }
  });
}

const spoken = (key) => ({ " ": "space", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" })[key] ?? (key.length === 1 ? key.toUpperCase() : key);
