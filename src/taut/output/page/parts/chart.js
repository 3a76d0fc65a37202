// One chart over time, or over an input, on a canvas: axes, lines, events, and a cursor that is moved without drawing again.
import { named } from "./colours.js";
import { bracket } from "./data.js";
import { niceStep, number, power, prefixed, quantity } from "./format.js";
import { element } from "./state.js";

const MARGIN = { left: 50, right: 8, top: 6, bottom: 19 };
const MOST_DECADES = 14;
const ALIKE = 1e-3; // of the largest value in a chart
const MANY_EVENTS = 50; // of more the marks are paler

export class Chart {
  /** scrub is called with the time that is pointed at. */
  constructor({ name, unit, scale, empty }, scrub) {
    Object.assign(this, { name, unit, scale, empty, series: [], span: [0, 1], along: { factor: 1, unit: "s" }, upward: { factor: 1, unit }, largest: 0, events: [], time: 0 });
    this.canvas = element("canvas", { role: "img" });
    this.cursor = element("div", { kind: "cursor" });
    this.plot = element("div", { kind: "plot" }, this.canvas, this.cursor);
    this.keys = element("ul", { kind: "keys" });
    this.measure = element("span");
    this.caption = element("figcaption", { text: name }, this.measure);
    this.figure = element("figure", { kind: "chart" }, this.caption, this.plot, this.keys);
    const point = (event) => {
      if (event.type === "pointerdown") this.plot.setPointerCapture(event.pointerId);
      else if (!this.plot.hasPointerCapture(event.pointerId)) return;
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - MARGIN.left) / (box.width - MARGIN.left - MARGIN.right);
      scrub(this.span[0] + Math.min(1, Math.max(0, share)) * (this.span[1] - this.span[0]));
    };
    this.plot.addEventListener("pointerdown", point);
    this.plot.addEventListener("pointermove", point);
  }

  /** series: { name, unit, time, value(row), colour, dash, steps?, points?, remove? }; points: { time, value(row) } measured;
   * steps: a value stands "until" the next, or "since" the one before. Charts are over { span, name, unit }: time, or an input. */
  show(series, { span, name, unit }, events) {
    Object.assign(this, { series, span, events, along: prefixed(Math.max(...span.map(Math.abs)), unit) });
    this.canvas.setAttribute("aria-label", `${this.name} over ${name}`);
    this.keys.replaceChildren(...series.map((one) => {
      const line = element("span", { kind: "line" });
      line.style.borderColor = one.colour;
      line.style.borderTopStyle = one.dash.length ? (one.dash[0] < 3 ? "dotted" : "dashed") : "solid";
      one.readout = element("span", { kind: "value" });
      const item = element("li", {}, line, element("span", { kind: "name", text: one.name, title: one.name }), one.readout);
      if (one.remove) item.append(element("button", { text: "×", title: "Take out of the chart", "aria-label": "Take out of the chart", onclick: one.remove }));
      return item;
    }));
    if (series.some(({ points }) => points)) this.keys.append(element("li", { text: "dots: measured" }));
    this.draw();
    this.moveTo(this.time);
  }

  moveTo(time) {
    this.time = time;
    const width = this.canvas.clientWidth - MARGIN.left - MARGIN.right;
    const share = (time - this.span[0]) / (this.span[1] - this.span[0] || 1);
    this.cursor.style.transform = `translateX(${MARGIN.left + share * width}px)`;
    this.cursor.hidden = !this.series.length;
  }

  /** Write the values under the cursor. */
  read() {
    for (const one of this.series) {
      const [a, b, weight] = bracket(one.time, this.time);
      const share = one.steps ? Number(one.steps === "since" && weight > 0) : weight;
      const value = share === 1 ? one.value(b) : one.value(a) + (share && share * (one.value(b) - one.value(a)));
      const like = Math.max(Math.abs(value), ALIKE * this.largest); // a value near zero does not change its unit all the time
      one.readout.textContent = this.scale === "log" ? `${number(value, 2)} ${one.unit}` : quantity(value, one.unit, 4, like);
    }
  }

  range() {
    let [low, high] = [Infinity, -Infinity];
    for (const one of this.series.flatMap((line) => [line, ...(line.points ? [line.points] : [])])) {
      for (let row = 0; row < one.time.length; row++) {
        const value = this.height(one.value(row));
        if (!Number.isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (low > high) return null;
    this.largest = Math.max(Math.abs(low), Math.abs(high));
    this.upward = prefixed(this.scale === "log" ? 1 : this.largest, this.unit);
    if (this.scale === "log") return [Math.max(Math.floor(low), Math.ceil(high) - MOST_DECADES), Math.max(Math.ceil(high), Math.floor(low) + 1)];
    const pad = (high - low || Math.abs(high) * 0.1 || 1) * 0.06;
    return [low - pad, high + pad];
  }

  height(value) {
    return this.scale === "log" ? Math.log10(Math.abs(value)) : value; // of zero nothing is drawn
  }

  draw() {
    const { canvas } = this;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    const range = this.range();
    this.measure.textContent = this.unit ? `[${this.upward.unit}]` : "";
    if (!range) {
      pen.fillStyle = named("muted");
      pen.textAlign = "center";
      pen.fillText(this.series.length ? (this.scale === "log" ? "zero everywhere" : "not known") : this.empty, width / 2, height / 2);
      return;
    }
    const x = (t) => MARGIN.left + ((t - this.span[0]) / (this.span[1] - this.span[0] || 1)) * (width - MARGIN.left - MARGIN.right);
    const y = (value) => height - MARGIN.bottom - ((value - range[0]) / (range[1] - range[0])) * (height - MARGIN.top - MARGIN.bottom);
    this.axes(pen, range, x, y, width, height);
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left - 1, MARGIN.top - 2, width - MARGIN.left - MARGIN.right + 2, height - MARGIN.top - MARGIN.bottom + 4);
    pen.clip();
    pen.lineJoin = "round";
    for (const one of this.series) {
      this.line(pen, one, x, y, width);
      if (one.points) this.dots(pen, one, x, y);
    }
    pen.restore();
  }

  axes(pen, range, x, y, width, height) {
    pen.strokeStyle = named("line");
    pen.fillStyle = named("muted");
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const step = this.scale === "log" ? Math.max(1, Math.ceil((range[1] - range[0]) / 4)) : niceStep(range[1] - range[0], 5);
    const digits = Math.max(3, Math.ceil(Math.log10(Math.max(Math.abs(range[0]), Math.abs(range[1])) / step)) + 1);
    for (let k = Math.ceil(range[0] / step - 1e-9); k * step <= range[1] + 1e-9 * step; k++) {
      const at = Math.round(y(k * step)) + 0.5;
      pen.beginPath();
      pen.moveTo(MARGIN.left, at);
      pen.lineTo(width - MARGIN.right, at);
      pen.stroke();
      pen.fillText(this.scale === "log" ? power(k * step) : number(Number(((k * step) / this.upward.factor).toPrecision(12)), digits), MARGIN.left - 6, at);
    }
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    const stride = niceStep(this.span[1] - this.span[0], 5);
    const wide = Math.max(4, Math.ceil(Math.log10(Math.max(Math.abs(this.span[0]), Math.abs(this.span[1])) / stride)) + 1);
    let told = false; // the unit, beside the last number or in its place
    for (let k = Math.ceil(this.span[0] / stride - 1e-9); k * stride <= this.span[1] * (1 + 1e-12) + 1e-9 * stride; k++) {
      const at = x(k * stride);
      const last = at > width - 24;
      told ||= at > width - 48;
      pen.textAlign = last ? "right" : "center";
      pen.fillText(`${number(Number(((k * stride) / this.along.factor).toPrecision(12)), wide)}${last ? ` ${this.along.unit}` : ""}`, last ? width - 2 : at, height - 5);
    }
    pen.textAlign = "right";
    if (!told) pen.fillText(this.along.unit, width - 2, height - 5);
    pen.fillStyle = named("load");
    pen.globalAlpha = Math.min(1, MANY_EVENTS / this.events.length);
    for (const event of this.events) pen.fillRect(x(event.time) - 1, MARGIN.top - 4, 2, 7);
    pen.globalAlpha = 1;
  }

  /** What was measured, in the colour of its line. */
  dots(pen, { points, colour }, x, y) {
    pen.fillStyle = colour;
    for (let row = 0; row < points.time.length; row++) {
      const at = y(this.height(points.value(row)));
      if (!Number.isFinite(at)) continue;
      pen.beginPath();
      pen.arc(x(points.time[row]), at, 2.4, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  /** A line; where there are more samples than pixels, from the lowest to the highest value in each column. */
  line(pen, one, x, y, width) {
    pen.strokeStyle = one.colour;
    pen.lineWidth = this.scale === "log" ? 1 : 1.6;
    pen.setLineDash(one.dash);
    pen.beginPath();
    const group = Math.max(1, Math.floor(one.time.length / (2 * width)));
    let [up, before, left] = [true, 0, 0];
    const to = (t, value) => {
      const at = y(this.height(value));
      if (!Number.isFinite(at)) up = true;
      else if (up) {
        pen.moveTo(x(t), at);
        up = false;
      } else {
        if (one.steps) pen.lineTo(...(one.steps === "since" ? [x(left), at] : [x(t), before]));
        pen.lineTo(x(t), at);
      }
      [before, left] = [at, t];
    };
    for (let row = 0; row < one.time.length; row += group) {
      let [low, high] = [row, row];
      for (let k = row; k < Math.min(row + group, one.time.length); k++) {
        if (one.value(k) < one.value(low)) low = k;
        if (one.value(k) > one.value(high)) high = k;
      }
      for (const k of low === high ? [low] : [Math.min(low, high), Math.max(low, high)]) to(one.time[k], one.value(k));
    }
    pen.stroke();
    pen.setLineDash([]);
  }
}
