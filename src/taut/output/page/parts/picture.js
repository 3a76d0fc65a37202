// The picture alone, as films take it: no panels, a clock, and the time that is asked for.
import { element } from "./state.js";

export class Picture {
  /** what: the view, whether the first run is followed, what is said of the speed. draw: draws a time at once. */
  constructor(what, stage, names, draw) {
    this.clock = element("b");
    this.names = names;
    this.draw = draw;
    stage.append(element("p", { kind: "filmed" }, this.clock, element("span", { text: what.speed })));
  }

  /** Show a time, with what the clock says and what the runs are called there; it is drawn when this returns. */
  show(time, clock, names) {
    this.clock.textContent = clock;
    [...this.names.querySelectorAll("li > span:last-child")].forEach((item, k) => {
      item.textContent = names[k];
    });
    this.draw(time);
  }
}

/** How far each row of a run is moved where the first one is followed. */
export function followed(run, first, centre) {
  const at = [0, 0, 0];
  return {
    moved: (row) => first.centre.mix(first.course.at({ time: run.time[row] }), at).map((value, axis) => centre[axis] - value),
  };
}
