// Colours: the scale of tensions, the lines of charts, and those of the style sheet as numbers.

/** Low to high. Lightness runs one way, so order is seen without hue; high stands out most from the background. */
const SCALES = {
  light: ["#c98512", "#d2662f", "#c04461", "#8f2d80", "#552381", "#26175f"],
  dark: ["#5a66cf", "#3f93cf", "#37b6ad", "#79cf73", "#c3df55", "#fdf07a"],
};

/** Lines of charts and runs, after Okabe and Ito: told apart with any colour vision. */
const LINES = {
  light: ["#0072b2", "#d55e00", "#00855f", "#a3467f", "#8a6d00", "#3f5bd8", "#5c5c5c"],
  dark: ["#5cb8f2", "#ff9a5c", "#3ed6a3", "#eb9ac7", "#f0d24a", "#a9b6ff", "#c8c8c8"],
};

const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3]];

export const theme = () => document.documentElement.dataset.theme || "light";
export const lineColour = (k) => LINES[theme()][k % LINES.light.length];
export const dash = (k) => DASHES[k % DASHES.length];

export function rgb(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

/** A colour of the style sheet. */
export function named(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** The same as numbers. */
export const colour = (name) => rgb(named(name));

export function gradient() {
  return `linear-gradient(90deg, ${SCALES[theme()].join(", ")})`;
}

/** The scale as 256 colours in bytes, for a texture. */
export function scaleBytes() {
  const stops = SCALES[theme()].map(rgb);
  const bytes = new Uint8Array(256 * 4);
  for (let k = 0; k < 256; k++) {
    const at = (k / 255) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; c++) {
      bytes[4 * k + c] = Math.round(255 * (stops[low][c] + (at - low) * (stops[low + 1][c] - stops[low][c])));
    }
    bytes[4 * k + 3] = 255;
  }
  return bytes;
}
