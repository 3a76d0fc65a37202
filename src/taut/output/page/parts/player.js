// Time: play, pause, speed, scrub.
import { element } from "./state.js";
import { niceStep, number, prefixed, steady } from "./format.js";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];
const SHOW_EVERY = 80; // [ms]
const PLAY = "M6 3.5v13l11-6.5z";
const PAUSE = "M5 3.5h3.6v13H5zM11.4 3.5H15v13h-3.6z";
const LIVELY = [2, 40]; // how long [s] a run may take to play at its own pace; else it is quickened or slowed

export class Player {
  constructor(runs, state) {
    Object.assign(this, { runs, state });
    const [slider, speed] = ["time", "speed"].map((id) => document.getElementById(id));
    const span = this.measure(runs);
    for (const value of SPEEDS) speed.append(element("option", { value, text: `${number(value)}×` }));
    slider.addEventListener("input", () => this.scrub(Number(slider.value)));
    speed.addEventListener("change", () => state.put({ speed: Number(speed.value) }));
    document.getElementById("play").addEventListener("click", () => this.toggle());
    this.tick();
    let shown = 0;
    state.on(["time", "playing"], ({ time, playing }) => {
      const now = performance.now();
      if (playing && now - shown < SHOW_EVERY) return; // writing costs more than drawing where there is no graphics card
      shown = now;
      if (document.activeElement !== slider || Number(slider.value) !== time) slider.value = time;
      document.getElementById("clock").textContent = `${steady(time / this.unit.factor, this.decimals)} / ${number(this.end / this.unit.factor)} ${this.unit.unit}`;
    });
    state.on(["playing"], ({ playing }) => {
      document.getElementById("playing").setAttribute("d", playing ? PAUSE : PLAY);
      document.getElementById("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    });
    state.on(["speed"], (values) => {
      speed.value = values.speed;
    });
    state.put({ speed: span >= LIVELY[0] && span <= LIVELY[1] ? 1 : nearest(SPEEDS, span / 8) });
  }

  /** From when to when runs go; returns how long that is. */
  measure(runs) {
    this.begin = Math.min(...runs.map((run) => run.begin));
    this.end = Math.max(...runs.map((run) => run.end));
    this.samples = runs.reduce((a, b) => (b.time.length > a.time.length ? b : a)).time;
    this.unit = prefixed(Math.max(Math.abs(this.begin), Math.abs(this.end)), "s");
    this.decimals = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(niceStep((this.end - this.begin) / this.unit.factor, 10)))));
    Object.assign(document.getElementById("time"), { min: this.begin, max: this.end, value: this.begin });
    return this.end - this.begin;
  }

  /** Take up runs that are others than before. */
  take(runs) {
    this.measure(runs);
    this.tick();
    this.state.put({ speed: 1 });
  }

  tick() {
    const span = this.end - this.begin || 1;
    const events = this.runs.flatMap((run) => run.events);
    document.getElementById("ticks").style.opacity = Math.min(1, 50 / events.length);
    document.getElementById("ticks").replaceChildren(...events.map(({ time, name }) => {
      const mark = element("i", { title: name });
      mark.style.left = `${(100 * (time - this.begin)) / span}%`;
      return mark;
    }));
  }

  toggle() {
    const { time, playing } = this.state.values;
    if (!playing && time >= this.end) this.state.put({ time: this.begin });
    this.state.put({ playing: !playing });
  }

  /** Go to a time. */
  scrub(time) {
    this.state.put({ time, playing: false });
  }

  keys() {
    return [
      { keys: [" "], words: "play or pause", act: () => this.samples.length > 1 && this.toggle() },
      { keys: ["ArrowLeft", "ArrowRight"], words: "one sample back or on (with shift: ten)", act: (e) => this.step((e.key === "ArrowLeft" ? -1 : 1) * (e.shiftKey ? 10 : 1)) },
      { keys: ["Home", "End"], words: "to the start or the end", act: (e) => this.scrub(e.key === "Home" ? this.begin : this.end) },
      { keys: ["[", "]"], words: "slower or faster", act: (e) => this.faster(e.key === "[" ? -1 : 1) },
    ];
  }

  /** Go on by real seconds; at the end begin again. */
  advance(seconds) {
    const { time, speed } = this.state.values;
    const next = time + seconds * speed;
    this.state.put({ time: next > this.end ? (time < this.end ? this.end : this.begin) : next });
  }

  /** Go to the sample that lies so many samples away. */
  step(count) {
    const { samples } = this;
    const { time } = this.state.values;
    const slip = 1e-9 * (this.end - this.begin);
    let at = count > 0 ? samples.findLastIndex((t) => t <= time + slip) : samples.findIndex((t) => t >= time - slip);
    at = Math.min(samples.length - 1, Math.max(0, at + count));
    this.state.put({ time: samples[at], playing: false });
  }

  faster(steps) {
    const at = SPEEDS.indexOf(this.state.get("speed")) + steps;
    this.state.put({ speed: SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at))] });
  }
}

const nearest = (values, wanted) => values.reduce((a, b) => (Math.abs(Math.log(b / wanted)) < Math.abs(Math.log(a / wanted)) ? b : a));
