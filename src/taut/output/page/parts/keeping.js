// What a live motion shows and leaves behind: its samples, the log of what was done, and the model as it stands.

const SWING = { part: 0.06, period: 2 }; // how far [of the size] and how fast [s] the weakest mode is shown
const MOST_KEPT = 8e6; // numbers of a motion that is kept; of longer ones every other sample

/** What is drawn of it now; at rest its weakest mode swings. */
export function shownIn(live, moment) {
  const { sample } = live.engine;
  const swing = live.mode?.shape ? SWING.part * live.given.size * Math.sin(((performance.now() - live.mode.since) / 1000 / SWING.period) * 2 * Math.PI) : 0;
  for (let k = 0; k < moment.nodes.length; k++) moment.nodes[k] = sample[k] + (swing && swing * live.mode.shape[k]);
  const { ends } = live.run.structure.bars;
  for (let k = 0; k < moment.tension.length; k++) moment.tension[k] = live.seen.tension(k);
  for (let k = 0; k < moment.barForce.length; k++) moment.barForce[k] = live.seen.bar(k, ends);
  moment.found = true;
  moment.time = live.shown;
  for (const arrow of moment.arrows) arrow.fill(0);
  moment.acted = false; // what acts on nodes is not told of a live motion
  const { weighing } = live.given;
  let whole = 0;
  const centre = [0, 0, 0];
  weighing.forEach((mass, node) => {
    whole += mass;
    for (let axis = 0; axis < 3; axis++) centre[axis] += mass * sample[3 * node + axis];
  });
  if (whole > 0) moment.centre = centre.map((sum) => sum / whole);
  for (let k = 0; k < moment.density.length; k++) moment.density[k] = moment.tension[k] / moment.cableLength(k);
}

export function record(live) {
  const last = live.rows[live.rows.length - 1];
  if (last && last.time >= live.shown) live.rows.pop();
  else if (live.count++ % live.every) return;
  const { ends } = live.run.structure.bars;
  const nodes = Float32Array.from(live.engine.sample.subarray(0, 3 * live.size));
  const tension = Float32Array.from({ length: live.given.cables.length }, (_, k) => live.seen.tension(k));
  const force = Float32Array.from({ length: live.given.bars.length }, (_, k) => live.seen.bar(k, ends));
  live.rows.push({ ...live.energy, nodes, tension, force });
  if (live.rows.length * (nodes.length + tension.length + force.length) > MOST_KEPT) {
    live.rows = live.rows.filter((_, k) => k % 2 === 0);
    live.every *= 2;
  }
}

/** All that was done, as Python replays it: `taut.live.replay`. */
export function actionsOf(live) {
  return JSON.stringify({ ...live.given.log, until: live.shown, actions: live.engine.log });
}

/** The model as it stands now, as the text of a model file. */
export function modelText(live) {
  const { text, bars, cables } = live.given.model;
  const { sample, gone, table } = live.engine;
  const { weighing, cables: rows } = live.given;
  const heaviest = weighing.indexOf(Math.max(...weighing));
  const pull = [0, 1, 2].map((axis) => (weighing[heaviest] ? table.weight[3 * heaviest + axis] / weighing[heaviest] : 0));
  const [velocity, rest, gravity, damping] = [3 * live.size, 6 * live.size, 6 * live.size + rows.length, 6 * live.size + rows.length + 3];
  const number = (k) => {
    if (k < rest) return sample[k < velocity ? k : 3 * live.size + k - velocity];
    if (k < gravity) return table.rest[rows[k - rest].row];
    return k < damping ? pull[k - gravity] : table.massDamping[0];
  };
  const lost = new Set([...bars.filter((_, k) => gone.has(`bar ${k}`)), ...cables.filter((_, k) => gone.has(`cable ${k}`))]);
  const written = text.split("\n");
  for (const index of live.firm.keys()) { // a stiffness of its own
    const line = written[cables[index]].replace(/, stiffness: [^,}]+/, "");
    written[cables[index]] = line.replace(/}\s*$/, `, stiffness: ${yamlNumber(table.keptStiffness[rows[index].row])}}`);
  }
  const kept = written.filter((_, line) => !lost.has(line)).join("\n");
  return kept.replace(/@(\d+)@/g, (_, k) => yamlNumber(number(Number(k))));
}

/** As YAML reads it: 1e-7 would be a word. */
function yamlNumber(value) {
  const text = String(value);
  return text.includes("e") && !text.includes(".") ? text.replace("e", ".0e") : text;
}
