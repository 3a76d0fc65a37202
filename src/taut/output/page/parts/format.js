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

/** A number with its unit. */
export function quantity(value, unit, digits = 4) {
  return unit ? `${number(value, digits)} ${unit}` : number(value, digits);
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
