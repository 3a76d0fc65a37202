// The compiled time loop in the page: a plant's tables in the memory of a module, followed and changed as
// src/taut/live/session.py does it, to the last bit. Nothing here knows of what is drawn.

const MOST_STEPS = 2000; // in a call
const CALL = 3; // [ms] that a call is to take, so that what is due can be looked at
const PACKS = ["integers", "reals", "runIntegers", "runReals"];

export class Engine {
  constructor(module, given) {
    this.given = given;
    this.kernels = new WebAssembly.Instance(module, {}).exports;
    const { memory, heap } = this.kernels;
    let at = (heap.value + 15) & ~15;
    this.starts = PACKS.map((name) => {
      const start = at;
      at += 8 * given[name].length;
      return start;
    });
    const lacking = Math.ceil((at + 64 - memory.buffer.byteLength) / 65536);
    if (lacking > 0) memory.grow(lacking);
    this.args = PACKS.flatMap((name, k) => [this.starts[k], given[name].length]);
    const views = (pack, numbers) => Object.fromEntries(Object.entries(numbers).map(([name, part]) => [name, this.part(pack, part)]));
    this.fill();
    this.table = views(0, given.tables);
    this.run = views(2, given.places);
    this.bite = 8;
    this.reset();
  }

  /** A part of a pack, by its number in the directory: whole numbers as BigInt, or reals. */
  part(pack, number) {
    const directory = this.given[PACKS[pack]];
    const [begin, size] = [directory[2 * number], directory[2 * number + 1]];
    const whole = this.whole(pack, number);
    return new (whole ? BigInt64Array : Float64Array)(this.kernels.memory.buffer, this.starts[pack + (whole ? 0 : 1)] + 8 * begin, size);
  }

  whole(pack, number) {
    return (pack === 0 ? this.given.wholeTables : this.given.wholeRuns).includes(number);
  }

  /** Everything as it was at the start. */
  fill() {
    const { buffer } = this.kernels.memory;
    PACKS.forEach((name, k) => {
      const source = this.given[name];
      if (k % 2) new Float64Array(buffer, this.starts[k], source.length).set(source);
      else {
        const target = new BigInt64Array(buffer, this.starts[k], source.length);
        for (let i = 0; i < source.length; i++) target[i] = BigInt(source[i]);
      }
    });
  }

  reset() {
    this.fill();
    this.log = [];
    this.happened = [];
    this.ended = "";
    this.sample = this.run.samples;
    this.steps = 0;
    this.goals = this.given.inputs.map(({ value }) => ({ value, until: -Infinity }));
    this.gone = new Set();
    this.rigidity = this.given.cables.map(({ rigidity }) => rigidity);
  }

  get time() {
    return this.run.clock[this.given.clock.TIME];
  }

  /** The last time of the grid of equal steps that is not after t; t itself where steps are adapted. */
  onGrid(t) {
    const fixed = this.run.numbers[this.given.numbers.FIXED];
    if (!fixed) return t;
    const start = this.run.clock[this.given.clock.START];
    let k = Math.round((t - start) / fixed);
    if (start + k * fixed > t + 1e-9 * fixed) k -= 1;
    return start + k * fixed;
  }

  /** Go on to a time, as a run does; `due` is when to leave off [ms of performance.now()]. True when it is there. */
  follow(time, due = Infinity) {
    return this.call(time, Infinity, due);
  }

  /** Go on and step exactly onto a time. */
  land(time, due = Infinity) {
    return this.call(time, time, due);
  }

  call(time, horizon, due) {
    const { clock, counts, codes } = this.given;
    const { run } = this;
    if (this.ended) return false;
    if (time <= this.time) return true;
    run.clock[clock.HORIZON] = horizon;
    run.targets[0] = time;
    run.counts[counts.FILLED] = 0n;
    for (;;) {
      const [before, begun] = [Number(run.counts[counts.STEPS]), performance.now()];
      const code = this.kernels.follow(...this.args, Math.floor(this.bite));
      this.bite = Math.min(MOST_STEPS, Math.max(1, this.bite * Math.min(2, CALL / Math.max(performance.now() - begun, 0.1))));
      this.steps += Number(run.counts[counts.STEPS]) - before;
      this.hear();
      if (code === codes.TO_CUT) this.cutByEvent(Number(run.counts[counts.LAST_EVENT]));
      else if (code === codes.FINISHED || code === codes.AWAITED) {
        this.sample = Number(run.counts[counts.FILLED]) ? run.samples : run.y;
        return true;
      } else if (code !== codes.PAUSED) {
        this.sample = run.y;
        this.ended = this.words(code);
        return false;
      } else if (performance.now() > due) {
        this.sample = run.y;
        return false;
      }
    }
  }

  words(code) {
    const { codes, clock } = this.given;
    const at = `at t = ${this.time.toPrecision(6)} s`;
    if (code === codes.STOPPED) return `Stopped ${at}, where it was to stop.`;
    if (code === codes.STUCK) return `Stopped ${at}: the step fell to ${this.run.clock[clock.STEP].toExponential(1)} s, below round-off; the motion is singular there.`;
    if (code === codes.UNHELD) return `Stopped ${at}: the bars could not be brought back to their lengths.`;
    return `Stopped ${at}: the next state is not finite; what was done is too much for steps of this length.`;
  }

  /** Take what has happened out of the log of the loop. */
  hear() {
    const { counts } = this.given;
    const filled = Number(this.run.counts[counts.LOGGED]);
    for (let k = 0; k < filled; k++) this.happened.push(this.told(...this.run.log.subarray(3 * k, 3 * k + 3)));
    this.run.counts[counts.LOGGED] = 0n;
  }

  told(time, event, state) {
    const { subjects, things } = this.given.events;
    if (event < subjects.length) {
      const [kind, name, changes] = subjects[event];
      return { time, name: `${kind} "${name}" ${changes[state] ?? "changed"}` };
    }
    const thing = things[event - subjects.length];
    return { time, name: `event "${thing.name}": ${thing.words}` };
  }

  cutByEvent(event) {
    const thing = this.given.events.things[event - this.given.events.subjects.length];
    for (const member of thing.cut) this.kernels.cut(...this.args, member);
  }

  // --- what is done to it, at the time to which it has landed

  act(kind, ...numbers) {
    const { numbers: place, counts } = this.given;
    if (this.run.numbers[place.YIELDING] === 0) this.run.numbers[place.YIELDING] = this.given.yields;
    this.log.push([this.time, kind, ...numbers]);
    this[`do_${kind}`](...numbers);
    this.run.counts[counts.FRESH] = 0n;
  }

  do_hand(node, ...force) {
    const { loads, loadData } = this.table;
    for (let axis = 0; axis < 3; axis++) {
      loads[loads.length - 3 + axis] = BigInt(3 * node + axis);
      loadData[loadData.length - 3 + axis] = force[axis];
    }
  }

  do_cut(kind, name) {
    const { index, member } = this.find(kind, name);
    this.kernels.cut(...this.args, member.cut);
    this.gone.add(`${kind} ${index}`);
  }

  do_rest(name, length) {
    const { index, member: { row, drag } } = this.find("cable", name);
    const rigidity = this.rigidity[index];
    this.change(() => {
      this.table.rest[row] = length;
      if (rigidity > 0) this.stiffen(row, rigidity / length, drag);
    });
  }

  do_stiffness(name, firm) {
    const { index, member: { row, drag } } = this.find("cable", name);
    this.change(() => this.stiffen(row, firm, drag));
    if (this.rigidity[index] > 0) this.rigidity[index] = firm * this.table.rest[row];
  }

  stiffen(row, firm, drag) {
    const damping = drag + this.given.damping.stiffness * firm;
    for (const part of ["stiffness", "keptStiffness"]) this.table[part][row] = firm;
    for (const part of ["dampings", "keptDampings"]) this.table[part][row] = damping;
  }

  /** Put a node elsewhere. */
  do_place(node, ...place) {
    this.change(() => this.run.y.set(place, 3 * node));
  }

  /** Stop all motion; what it had is taken out, as work. */
  do_still() {
    const n = 3 * this.given.weighing.length;
    this.sample = this.run.y;
    this.run.y[2 * n] -= this.look(this.time).kinetic;
    this.run.y.fill(0, n, 2 * n);
  }

  do_gravity(...gravity) {
    const { weighing } = this.given;
    this.change(() => weighing.forEach((mass, node) => gravity.forEach((pull, axis) => {
      this.table.weight[3 * node + axis] = mass * pull;
    })));
  }

  do_damping(mass) {
    this.table.massDamping[0] = mass;
    this.table.nodeDamps[0] = BigInt(mass !== 0 || this.given.damping.node !== 0);
  }

  do_drive(name, value, over) {
    const k = this.given.inputs.findIndex((input) => input.name === name);
    const { driveData, stands } = this.table;
    for (const place of this.given.inputs[k].places) {
      const from = driveData[place];
      driveData.set([value, from, this.time, over, 2], place);
    }
    stands.fill(NaN);
    this.goals[k] = { value, until: this.time + over };
  }

  /** Change tables; what that does to the energy is work. */
  change(write) {
    const { counts } = this.given;
    const filled = Number(this.run.counts[counts.LOGGED]);
    const before = this.kernels.begin_change(...this.args);
    write();
    const now = this.kernels.end_change(...this.args, this.time, before, filled);
    this.run.counts[counts.EVENTS] += BigInt(now - filled);
    this.run.counts[counts.LOGGED] = BigInt(now);
    this.hear();
  }

  find(kind, name) {
    const names = kind === "cable" ? this.given.cableNames : this.given.barNames;
    const index = names.indexOf(name);
    return { index, member: (kind === "cable" ? this.given.cables : this.given.bars)[index] };
  }

  // --- what can be read off it

  /** At a shape at rest [m/s^2], as bars and supports let nodes accelerate. */
  accelerations(shape) {
    const { run } = this;
    const n = 3 * this.given.weighing.length;
    run.times[0] = this.time;
    run.shown.set(this.run.y);
    run.shown.set(shape);
    run.shown.fill(0, n, 2 * n);
    this.kernels.show(...this.args);
    return run.rates.slice(n, 2 * n);
  }

  /** Tensions of cables, forces of bars and energies at the last sample, by laws as they are given. */
  look(shownAt) {
    const { given, run } = this;
    const { breaks } = run;
    let piece = 0;
    while (piece + 2 < breaks.length && breaks[piece + 1] <= shownAt + 1e-12 * Math.max(1, Math.abs(shownAt))) piece += 1;
    run.times[0] = shownAt;
    run.pieces[0] = 0.5 * (Math.max(breaks[piece], -1e300) + Math.min(breaks[piece + 1], 1e300));
    run.shown.set(this.sample);
    this.kernels.show(...this.args);
    const { out } = run;
    const { scalars, springs } = given.outputs;
    const [tension, rows] = [scalars + springs, scalars + 2 * springs];
    const n = 3 * given.weighing.length;
    const work = this.sample[2 * n];
    return {
      kinetic: out[0], elastic: out[1], gravity: out[2], work,
      off: out[0] + out[1] + out[2] - run.clock[given.clock.REFERENCE] - work,
      tension: (k) => (given.cables[k].row < 0 ? NaN : out[tension + given.cables[k].row]),
      bar: (k, ends) => {
        const { spring, row } = given.bars[k];
        if (spring >= 0) return out[tension + spring];
        if (row < 0) return NaN;
        let apart = 0;
        for (let axis = 0; axis < 3; axis++) apart += (this.sample[n + 3 * ends[2 * k + 1] + axis] - this.sample[n + 3 * ends[2 * k] + axis]) ** 2;
        return -(out[rows + row] + (given.thickness[row] ?? 0) * apart);
      },
    };
  }
}
