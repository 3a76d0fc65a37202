// What can be shown or hidden, and a box to tick for each.
import { element } from "./state.js";

const inSome = (holds) => (runs) => runs.some(holds);
const anyArrows = (name) => inSome((run) => run.arrows.some((arrow) => arrow.name === name && arrow.largest > 0));

/** By the key of the state: its words, and whether there is any of it in some runs. */
const TOGGLES = {
  load: ["Loads", anyArrows("load")],
  reaction: ["Reactions", anyArrows("reaction")],
  contact: ["Contact forces", anyArrows("contact")],
  unloaded: ["Undeformed shape", inSome((run) => run.cases)],
  plates: ["Plates", inSome((run) => run.structure.plates.names.length)],
  pulleys: ["Pulleys", inSome((run) => run.structure.pulleys.radius.length)],
  nodes: ["Nodes"],
  names: ["Node names"],
  supports: ["Supports"],
  driven: ["Driven members", inSome((run) => run.driven.length)],
  ground: ["Ground"],
  shadow: ["Shadow"],
  footprints: ["Footprints", inSome((run) => run.footprints.length)],
  trails: ["Trails", inSome((run) => run.time.length > 1)],
  measured: ["Measured", inSome((run) => run.measured)],
  grid: ["Grid"],
  flat: ["No perspective"],
};

/** Boxes for what there is in these runs, of some keys or of all. */
export function toggles(runs, state, keys = Object.keys(TOGGLES)) {
  const offered = keys.filter((key) => TOGGLES[key][1]?.(runs) ?? true);
  return element("div", { kind: "options" }, ...offered.map((key) => {
    const box = element("input", { type: "checkbox" });
    box.addEventListener("change", () => state.put({ [key]: box.checked }));
    state.on([key], (values) => {
      box.checked = values[key];
    });
    return element("label", {}, box, TOGGLES[key][0]);
  }));
}
