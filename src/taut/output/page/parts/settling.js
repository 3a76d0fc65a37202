// Letting a live structure come to rest: it moves by its own kernels, and all motion is stopped whenever its kinetic
// energy has a peak (dynamic relaxation with kinetic damping). Every stop is an action of the log.

const STEPS_A_LOOK = 6; // of the loop between two looks at the kinetic energy
const LONGEST_LOOK = 1 / 60; // [s]
const RESTING = 1e-14; // of the energy that is stored or was released, a peak of the kinetic energy at rest
const QUIET_PEAKS = 3; // one after another
const LONGEST = 60; // [s] of motion after which it is given up

export class Settling {
  constructor(live) {
    const { elastic, gravity } = live.seen;
    Object.assign(this, { live, from: live.engine.time, last: 0, stops: 0, quiet: 0, rests: false, scale: Math.abs(elastic), lowest: elastic + gravity, start: elastic + gravity, ended: "" });
  }

  /** Go on until a time of the page's clock [ms]; true when it is at rest or given up. */
  advance(due) {
    const { live } = this;
    const { engine } = live;
    const fixed = engine.run.numbers[live.given.numbers.FIXED];
    while (performance.now() < due && !this.ended) {
      const step = fixed || engine.run.clock[live.given.clock.STEP];
      const before = engine.time;
      const next = engine.onGrid(engine.time + Math.min(STEPS_A_LOOK * step, LONGEST_LOOK));
      if (!engine.land(next, due)) {
        live.shown = engine.time;
        if (engine.ended) this.ended = engine.ended;
        break;
      }
      live.shown = next;
      if (live.hand) live.pullNow(next - before);
      this.watch(engine.look(next));
    }
    return Boolean(this.ended);
  }

  watch({ kinetic, elastic, gravity }) {
    this.lowest = Math.min(this.lowest, elastic + gravity);
    this.scale = Math.max(this.scale, elastic, this.start - this.lowest);
    if (kinetic >= this.last) this.last = kinetic;
    else {
      this.quiet = this.last <= RESTING * this.scale ? this.quiet + 1 : 0;
      this.live.engine.act("still");
      this.stops += 1;
      this.last = 0;
    }
    const took = this.live.shown - this.from;
    this.rests = this.quiet >= QUIET_PEAKS;
    if (this.rests) this.ended = `At rest, after ${took.toPrecision(3)} s of motion that was stopped ${this.stops} times.`;
    else if (took > LONGEST) this.ended = `Not at rest after ${LONGEST} s of motion: something drives it, or nothing holds it.`;
  }
}
