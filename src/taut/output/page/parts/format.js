// Numbers as people read them.

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A power of ten: 10⁻³. */
export function power(exponent) {
  const digits = [...String(Math.abs(exponent))].map((d) => RAISED[d]).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

/** A number with so many digits, without zeros that say nothing; a dash for what is not known. */
export function number(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) {
    const text = Number(value.toPrecision(digits));
    return String(text).replace("-", "−");
  }
  const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 2)).split("e");
  return `${mantissa.replace("-", "−")}×${power(Number(exponent))}`;
}

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
const WHOLE = [[1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]]; // of these a thousand has no name that people use
const MASSES = [[1e3, "t"], [1, "kg"], [1e-3, "g"], [1e-6, "mg"]];

/** The named parts or multiples of a unit: of its first letters, where it is not a power of them. */
function scalesOf(unit) {
  if (unit === "kg") return MASSES;
  const steps = /^(N|m|J|W|Pa|Hz|V|A)($|[ /])/.test(unit) ? PREFIXES : /^(s|rad)($|[ /])/.test(unit) ? WHOLE : [[1, ""]];
  return steps.map(([factor, prefix]) => [factor, prefix + unit]);
}

/** The unit in which a size is read best, 51.5 kN or 12.3 mm, and how much it is of the given one. Half a metre stays one:
 * parts are named below a tenth, multiples from one on. What is too small for a name keeps the unit. */
export function prefixed(size, unit, digits = 4) {
  const rounded = Number(Math.abs(size).toPrecision(digits));
  const [factor, told] = scalesOf(unit).find(([step]) => rounded >= (step > 1 ? step : 0.1 * step) * (1 - 1e-9)) ?? [1, unit];
  return { factor, unit: told };
}

/** A number with its unit; the prefix is that of another number where both are read together. */
export function quantity(value, unit, digits = 4, like = value) {
  if (!unit) return number(value, digits);
  const told = prefixed(like, unit, digits);
  return `${number(value / told.factor, digits)} ${told.unit}`;
}

/** Components with one unit and as many decimals as the largest of them has with five digits. */
export function vector(values, unit) {
  const largest = Math.max(...values.map(Math.abs));
  if (!(largest > 0)) return quantity(largest, unit);
  const told = prefixed(largest, unit, 5);
  const decimals = Math.max(0, Math.min(4, 4 - Math.floor(Math.log10(largest / told.factor))));
  return `${values.map((value) => steady(value / told.factor, decimals)).join(", ")} ${told.unit}`;
}

/** How values between two ends are written: a hundredth of the way is seen. */
export function ruler(low, high, unit) {
  const told = prefixed(Math.max(Math.abs(low), Math.abs(high)), unit);
  const decimals = Math.max(0, Math.min(9, 1 - Math.floor(Math.log10(niceStep((high - low) / told.factor, 100)))));
  return (value) => `${steady(value / told.factor, decimals)} ${told.unit}`;
}

/** A number with a fixed count of decimals, for clocks that must not jump about. */
export function steady(value, decimals) {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** Round steps (1, 2 or 5 times a power of ten) that divide a span into at most so many parts. */
export function niceStep(span, parts) {
  const rough = span / Math.max(1, parts);
  if (!(rough > 0) || !Number.isFinite(rough)) return 1;
  const base = 10 ** Math.floor(Math.log10(rough));
  return base * [1, 2, 5, 10].find((factor) => factor * base >= rough * (1 - 1e-9));
}
