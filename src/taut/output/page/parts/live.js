// A live motion: the engine kept up with the clock, what a person does to it, and what it leaves behind.
import { Engine } from "./engine.js";
import { quantity } from "./format.js";
import { actionsOf, modelText, record, shownIn } from "./keeping.js";
import { Settling } from "./settling.js";
import { weakest } from "./weakest.js";

const FRAME_BUDGET = 11; // [ms] of a picture's time for the motion; what it does not reach is done later
const LONGEST_FRAME = 0.05; // [s] beyond which a picture that came late is not made up for
const MOST_MARKS = 400; // events that are listed
const IMBALANCE = 1e-2; // of the energy in play, as in taut.dynamics.verdict
const CARRIED = 1.0; // of its size a second, how fast a support is carried along at most
const PACED = 0.5; // [s] over which the pace is told

/** Compile the module; null with a reason where the browser cannot. */
export async function liveOf(given, run) {
  if (!given) return null;
  if (given.refused) return { refused: given.refused };
  if (typeof WebAssembly === "undefined") return { refused: "This browser has no WebAssembly, or it is switched off." };
  try {
    return new Live(await WebAssembly.compile(given.module), given, run);
  } catch (error) {
    return { refused: `This browser cannot run the simulator: ${error.message}.` };
  }
}

export class Live {
  constructor(module, given, run) {
    Object.assign(this, { given, run, speed: 1, on: false, running: false });
    this.engine = new Engine(module, given);
    this.size = run.structure.nodes.length;
    this.given.rests = Float64Array.from(run.structure.cables.rest_length);
    this.begin();
  }

  begin() {
    Object.assign(this, { shown: 0, queue: [], hand: null, energies: [], rows: [], every: 1, count: 0, paced: [], play: null, stale: true, settling: null, rested: "", mode: null });
    const [x, y, down] = this.given.gravity.map((pull, axis) => (axis === 2 ? -pull : pull) || 0); // no zero with a sign
    const [tilt, towards] = [Math.atan2(Math.hypot(x, y), down), Math.atan2(y, x)].map((angle) => (angle * 180) / Math.PI);
    this.world = { gravity: Math.hypot(x, y, down), tilt, towards, damping: this.given.damping.mass };
    this.rests = new Map();
    this.firm = new Map();
    this.run.structure.cables.rest_length.set(this.given.rests);
  }

  reset() {
    this.engine.reset();
    this.begin();
    this.look();
  }

  get time() {
    return this.shown;
  }

  get ended() {
    return this.engine.ended;
  }

  /** Do something at the time that is shown, as soon as it is reached. */
  act(...action) {
    if (!this.ended) this.queue.push(action);
  }

  /** Go on by real seconds, as far as the budget allows; true where something changed. */
  advance(seconds) {
    const due = performance.now() + FRAME_BUDGET;
    const acted = this.queue.length > 0;
    if (acted || this.running) this.mode = null; // it is another structure now
    this.settle();
    if (this.settling) return this.calm(due);
    if (!this.running || this.ended) {
      if (acted) this.look();
      return acted;
    }
    const wanted = Math.min(seconds, LONGEST_FRAME) * this.speed;
    const before = this.shown;
    this.onwards(before + wanted, due);
    this.pace(seconds, this.shown - before);
    this.look();
    if (this.ended) Object.assign(this, { running: false, hand: null });
    return true;
  }

  /** Let it come to rest, from where it stands. */
  letSettle() {
    if (this.ended || this.settling) return;
    this.settle();
    if (!this.engine.land(this.shown)) return;
    this.engine.act("still");
    this.look();
    Object.assign(this, { running: false, settling: new Settling(this), rested: "", mode: null });
  }

  /** Go on settling; at rest, tell how weak it is. */
  calm(due) {
    const over = this.settling.advance(due);
    this.look();
    if (over) {
      const { ended, rests } = this.settling;
      Object.assign(this, { rested: ended, settling: null, news: true });
      if (rests && !this.ended) this.mode = this.hand ? { refused: "Its weakest mode is told when no hand holds it." } : { ...weakest(this), since: performance.now() };
    }
    return true;
  }

  /** So much further, however long it takes. */
  step(seconds) {
    this.mode = null;
    this.settle();
    this.onwards(this.shown + seconds, performance.now() + 20 * FRAME_BUDGET);
    this.look();
  }

  onwards(target, due) {
    const { engine } = this;
    if (!this.hand) {
      const goal = engine.onGrid(target);
      if (goal > engine.time) this.shown = engine.follow(goal, due) ? goal : Math.max(this.shown, engine.time);
      return;
    }
    const { tick } = this.given.hand;
    while (this.shown < target && !engine.ended && performance.now() < due) {
      const next = engine.onGrid(engine.time + tick);
      if (!engine.land(next, due)) {
        this.shown = engine.time;
        return;
      }
      this.shown = next;
      this.pullNow(tick);
    }
  }

  /** What waits to be done, at the time that is shown. */
  settle() {
    const { engine } = this;
    if (!this.queue.length || engine.ended) return;
    if (!engine.land(this.shown)) return;
    const waiting = [];
    for (const action of this.queue) {
      if (action[0] === "drive" && engine.time < engine.goals[this.given.inputs.findIndex(({ name }) => name === action[1])].until) waiting.push(action);
      else engine.act(...action);
    }
    this.queue = waiting;
  }

  // --- the hand

  /** carried: whether it is a support, which goes where the hand goes. */
  grab(node, place, carried = false) {
    this.hand = { node, place, force: [0, 0, 0], carried };
    this.queue.push(["hand", node, 0, 0, 0]);
  }

  move(place) {
    if (this.hand) this.hand.place = place;
  }

  drop({ hold = false } = {}) {
    if (!this.hand || hold) return;
    this.queue.push(["hand", this.hand.node, 0, 0, 0]);
    this.hand = null;
  }

  /** A spring and a damper from the node to the hand, told anew every tick; a support is carried towards it. */
  pullNow(tick) {
    const { node, place, carried } = this.hand;
    if (carried) return this.carry(node, place, CARRIED * this.given.size * tick);
    const { stiffness, damping } = this.given.hand;
    const { y } = this.engine.run;
    const [at, speed] = [3 * node, 3 * (this.size + node)];
    this.hand.force = [0, 1, 2].map((axis) => stiffness * (place[axis] - y[at + axis]) - damping * y[speed + axis]);
    this.engine.act("hand", node, ...this.hand.force);
  }

  carry(node, place, most) {
    const from = Array.from(this.engine.run.y.subarray(3 * node, 3 * node + 3));
    const away = Math.hypot(...place.map((value, axis) => value - from[axis]));
    if (away < 1e-9 * this.given.size) return;
    const share = Math.min(1, most / away);
    this.engine.act("place", node, ...from.map((value, axis) => value + share * (place[axis] - value)));
  }

  // --- what else is done

  cut(kind, index) {
    const name = kind === "cable" ? this.given.cableNames[index] : this.given.barNames[index];
    this.act("cut", kind, name);
  }

  canCut(kind, index) {
    const member = (kind === "cable" ? this.given.cables : this.given.bars)[index];
    return member.cut !== null && !this.engine.gone.has(`${kind} ${index}`);
  }

  canWind(index) {
    const { row, wound } = this.given.cables[index];
    return row >= 0 && !wound && !this.engine.gone.has(`cable ${index}`);
  }

  rest(index) {
    return this.rests.get(index) ?? this.engine.table.rest[this.given.cables[index].row];
  }

  wind(index, length) {
    this.rests.set(index, length);
    this.run.structure.cables.rest_length[index] = length;
    this.latest((action) => action[0] === "rest" && action[1] === this.given.cableNames[index], "rest", this.given.cableNames[index], length);
  }

  stiffness(index) {
    return this.firm.get(index) ?? this.engine.table.keptStiffness[this.given.cables[index].row];
  }

  stiffen(index, firm) {
    this.firm.set(index, firm);
    this.latest((action) => action[0] === "stiffness" && action[1] === this.given.cableNames[index], "stiffness", this.given.cableNames[index], firm);
  }

  drive(name, value) {
    this.latest((action) => action[0] === "drive" && action[1] === name, "drive", name, value, this.given.over);
  }

  /** Gravity [m/s^2] and the tilt of the ground [degrees] beside its own slope, by which gravity turns; damping [1/s]. */
  setWorld(changes) {
    const before = { ...this.world };
    Object.assign(this.world, changes);
    const { gravity, tilt, towards, damping } = this.world;
    if (damping !== before.damping) this.latest((action) => action[0] === "damping", "damping", damping);
    if (gravity === before.gravity && tilt === before.tilt && towards === before.towards) return;
    const [a, b] = [tilt, towards].map((degrees) => (degrees * Math.PI) / 180);
    const pull = [gravity * Math.sin(a) * Math.cos(b), gravity * Math.sin(a) * Math.sin(b), -gravity * Math.cos(a)];
    this.latest((action) => action[0] === "gravity", "gravity", ...pull);
  }

  /** An action in the place of one of its kind that waits. */
  latest(same, ...action) {
    this.queue = this.queue.filter((other) => !same(other));
    this.act(...action);
  }

  // --- what is seen of it

  look() {
    const seen = this.engine.look(this.shown);
    const { kinetic, elastic, gravity, work, off } = seen;
    this.energy = { time: this.shown, kinetic, elastic, gravity, work, off };
    this.seen = seen;
    this.play ??= { kinetic: 0, low: elastic, high: elastic, work: 0, off: 0 };
    const { play } = this;
    play.kinetic = Math.max(play.kinetic, kinetic);
    play.low = Math.min(play.low, elastic);
    play.high = Math.max(play.high, elastic);
    play.work = Math.max(play.work, Math.abs(work));
    play.off = Math.max(play.off, Math.abs(off));
    record(this);
    if (this.engine.happened.length > MOST_MARKS) this.engine.happened.splice(0, this.engine.happened.length - MOST_MARKS);
  }

  /** Why it is not to be believed; empty where nothing says so. */
  get doubt() {
    const { play, given, engine } = this;
    const inPlay = play ? play.kinetic + (play.high - play.low) + play.work : 0;
    if (play && inPlay > 1e-9 && play.off > IMBALANCE * inPlay) return `Not to be trusted: the energy is off by ${quantity(play.off, "J", 2)}, with ${quantity(inPlay, "J", 2)} in play.`;
    if (engine.run.clock[given.clock.INDEPENDENCE] < given.shaky) return "Not to be trusted from here on: constraints nearly depended on one another, and the motion may branch.";
    return "";
  }

  pace(seconds, came) {
    this.paced.push([seconds, came]);
    let [real, simulated] = [0, 0];
    for (const [a, b] of this.paced) [real, simulated] = [real + a, simulated + b];
    while (real > PACED && this.paced.length > 2) {
      const [a, b] = this.paced.shift();
      [real, simulated] = [real - a, simulated - b];
    }
    this.rate = real > 0 ? simulated / real : this.speed;
  }

  fill(moment) {
    shownIn(this, moment);
  }

  actions() {
    return actionsOf(this);
  }

  modelText() {
    return modelText(this);
  }
}
