// Inputs: a slider for each, with where there are postures along it and whether they stand.
import { named } from "./colours.js";
import { ruler } from "./format.js";
import { element } from "./state.js";

const STEPS = 100; // of a slider, by the arrow keys

export class Inputs {
  constructor(host, run, state) {
    Object.assign(this, { run, state, grid: run.course });
    this.sliders = this.grid.axes.map((axis, k) => this.slider(axis, k));
    host.hidden = false;
    host.append(...this.sliders.map(({ row }) => row));
    state.on(["inputs", "active", "theme"], ({ inputs, active }) => this.sliders.forEach((one, k) => {
      if (Number(one.slider.value) !== inputs[k]) one.slider.value = inputs[k];
      one.value.textContent = one.tell(inputs[k]);
      one.slider.setAttribute("aria-valuetext", one.value.textContent);
      one.row.classList.toggle("active", k === active && this.sliders.length > 1);
      this.paint(one.track, k);
    }));
  }

  slider({ name, unit, quantity, values }, k) {
    const [low, high] = [values[0], values[values.length - 1]];
    const slider = element("input", { type: "range", min: low, max: high, step: "any", "aria-label": `${name}, ${quantity}`, "data-scrubs": true });
    const track = element("div", { kind: "course" }, element("div"));
    const value = element("output");
    const row = element("div", { kind: "input" },
      element("span", { kind: "name", title: `${name}, ${quantity}` }, element("b", { text: name }), ` ${quantity}`),
      element("div", { kind: "slide" }, track, slider), value);
    slider.value = this.grid.start[k];
    slider.addEventListener("input", () => this.set(k, Number(slider.value)));
    slider.addEventListener("focus", () => this.state.put({ active: k }));
    return { slider, track, value, row, tell: ruler(low, high, unit) };
  }

  /** Along a slider, with the others as they are: where no posture is, and where it does not stand. */
  paint(track, axis) {
    const { along, carried } = this.grid.through(axis, this.state.get("inputs"), this.grid.quick);
    const stiffness = this.run.grid.numbers.lowest_stiffness;
    const colours = carried.map((one) => {
      if (!one) return "transparent";
      return stiffness && stiffness.mixed(one) <= 0 ? named("warn") : named("good");
    });
    const share = (k) => `${((100 * k) / (along.length - 1)).toFixed(2)}%`;
    const stops = colours.slice(1).map((colour, k) => `${colours[k] === colour ? colour : "transparent"} ${share(k)} ${share(k + 1)}`);
    track.firstChild.style.backgroundImage = `linear-gradient(90deg, ${stops.join(", ")})`;
  }

  set(axis, value) {
    const { values } = this.grid.axes[axis];
    const kept = Math.min(values[values.length - 1], Math.max(values[0], value));
    this.state.put({ inputs: this.state.get("inputs").with(axis, kept), active: axis });
  }

  /** Put the input that charts are over to a value. */
  scrub(value) {
    this.set(this.state.get("active"), value);
  }

  step(count) {
    const { active, inputs } = this.state.values;
    this.scrub(inputs[active] + (count / STEPS) * this.grid.span(active));
  }

  choose(count) {
    const { length } = this.sliders;
    const active = (this.state.get("active") + count + length) % length;
    this.state.put({ active });
    this.sliders[active].slider.focus();
  }

  keys() {
    return [
      { keys: ["ArrowLeft", "ArrowRight"], words: "a hundredth of the slider back or on (with shift: ten)", act: (e) => this.step((e.key === "ArrowLeft" ? -1 : 1) * (e.shiftKey ? 10 : 1)) },
      { keys: ["Home", "End"], words: "to the start or the end of the slider", act: (e) => this.scrub(e.key === "Home" ? -Infinity : Infinity) },
      { keys: ["[", "]"], words: "the input before or after", act: (e) => this.choose(e.key === "[" ? -1 : 1) },
      { keys: ["0"], words: "all inputs as at first", act: () => this.state.put({ inputs: this.grid.start }) },
    ];
  }
}
