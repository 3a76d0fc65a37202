// What a run stands on: its grounds, the shadow of the structure on them, and the footprints that it leaves there.
import { colour } from "./colours.js";
import { Batch, brush, texture } from "./gl.js";
import { FOOTPRINT, GROUND, SHADOW_OF_MEMBER, SHADOW_OF_PLATE } from "./shaders.js";

const CORNERS = [new Float32Array([0, 1, 2]), 1, [0, 1, 2]];
const STRIP = [new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), 2, [0, 1, 2, 2, 1, 3]];
const DISC = [new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), 2, [0, 1, 2, 2, 1, 3]];
const MASK = 512; // pixels of the shadow along a side
const SHADE = { light: 0.75, dark: 0.85 }; // how dark a full shadow is

/** All members seen from above, light on black in a texture: what lies below is in their shadow. */
class Shadow {
  constructor(gl, run, sizes) {
    Object.assign(this, { gl, middle: [0, 0], half: 1, stale: true });
    const { bars, cables, plates } = run.structure;
    const ends = new Int32Array(bars.ends.length + (2 * cables.pieces.length) / 3);
    ends.set(bars.ends);
    for (let k = 0; 3 * k < cables.pieces.length; k++) ends.set(cables.pieces.subarray(3 * k, 3 * k + 2), bars.ends.length + 2 * k);
    const radius = new Float32Array(ends.length / 2).fill(sizes.cableRadius);
    radius.set(Float32Array.from(bars.radius, sizes.barRadius));
    this.soft = 0.02 * sizes.size;
    this.members = new Batch(gl, STRIP, [[ends, 2], [radius, 1]], radius.length);
    this.plates = new Batch(gl, CORNERS, [[plates.faces, 4]], plates.faces.length / 4);
    [this.paintMembers, this.paintPlates] = [brush(gl, SHADOW_OF_MEMBER), brush(gl, SHADOW_OF_PLATE)];
    this.mask = texture(gl);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, MASK, MASK, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.LINEAR);
    this.frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.mask, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** What it has to hold: all nodes, and the rim of their shadow. */
  look({ nodes }) {
    const spans = [0, 1].map((axis) => {
      let [low, high] = [Infinity, -Infinity];
      for (let k = axis; k < nodes.length; k += 3) [low, high] = [Math.min(low, nodes[k]), Math.max(high, nodes[k])];
      return [low, high];
    });
    this.middle = spans.map(([low, high]) => (low + high) / 2);
    this.half = Math.max(...spans.map(([low, high]) => (high - low) / 2), 1e-9) + 3 * this.soft;
    this.stale = true;
  }

  /** The mask as it is now; the texture of nodes is bound already. */
  render(shared) {
    if (!this.stale) return;
    this.stale = false;
    const { gl } = this;
    const [, , width, height] = gl.getParameter(gl.VIEWPORT);
    const own = { u_middle: this.middle, u_half: this.half, u_soft: this.soft / this.half };
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.viewport(0, 0, MASK, MASK);
    gl.disable(gl.DEPTH_TEST);
    const before = gl.getParameter(gl.COLOR_CLEAR_VALUE);
    gl.clearColor(0, 0, 0, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND); // two of them are darker than one, and never more than dark
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_COLOR);
    this.paintMembers(shared, own, this.members);
    this.paintPlates(shared, own, this.plates);
    gl.disable(gl.BLEND);
    gl.clearColor(...before);
    gl.enable(gl.DEPTH_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
  }
}

/** Where no ground is told there is a floor to see the shadow on: a round patch that fades, { middle, reach, corners }. */
export function patch({ bounds: [low, high], size, floor }) {
  const middle = [0, 1].map((axis) => (low[axis] + high[axis]) / 2);
  const reach = 0.5 * Math.hypot(high[0] - low[0], high[1] - low[1]) + 0.35 * size;
  const [a, b, c, d] = [[-1, -1], [1, -1], [-1, 1], [1, 1]].map((side) => [middle[0] + side[0] * reach, middle[1] + side[1] * reach, floor]);
  return { middle, reach, corners: [...a, ...b, ...c, ...c, ...b, ...d] };
}

/** Triangles that stay, darker under the structure. Where an earlier run stands on the same ones, only the shadow is laid over them. */
export function grounds(gl, run, sizes) {
  const alone = !run.grounds.length;
  const { middle, reach, corners: round } = patch(sizes);
  const corners = alone ? round : run.grounds;
  const count = corners.length / 9;
  const corner = (k) => Float32Array.from({ length: 3 * count }, (_, at) => corners[9 * Math.floor(at / 3) + 3 * k + (at % 3)]);
  const batch = new Batch(gl, CORNERS, [0, 1, 2].map((k) => [corner(k), 3]), count);
  const [paint, shadow] = [brush(gl, GROUND), new Shadow(gl, run, sizes)];
  return {
    update(moment) {
      shadow.look(moment);
    },
    draw(shared, look) {
      if (!look.ground) return;
      if (look.shadow) shadow.render(shared);
      gl.activeTexture(gl.TEXTURE2);
      gl.bindTexture(gl.TEXTURE_2D, shadow.mask);
      gl.activeTexture(gl.TEXTURE0);
      if (alone || run.groundAgain) {
        gl.enable(gl.BLEND);
        gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
        gl.depthFunc(gl.LEQUAL);
        gl.depthMask(!alone); // such a floor hides nothing, from below neither
      }
      paint(shared, {
        u_again: run.groundAgain ? 1 : 0, u_centre: middle, u_reach: alone ? reach : 0,
        u_colour: colour("ground"), u_dark: colour("shadow"), u_shade: look.shadow ? SHADE[look.theme] ?? SHADE.light : 0,
        u_middle: shadow.middle, u_half: shadow.half,
      }, batch);
      gl.disable(gl.BLEND);
      gl.depthFunc(gl.LESS);
      gl.depthMask(true);
    },
  };
}

/** Rings where contacts came to be, from then on. */
export function footprints(gl, run, sizes) {
  const count = run.footprints.length / 7;
  if (!count) return { update() {}, draw() {} };
  const [places, outwards] = [new Float32Array(4 * count), new Float32Array(3 * count)];
  for (let k = 0; k < count; k++) {
    places.set(run.footprints.subarray(7 * k, 7 * k + 4), 4 * k);
    outwards.set(run.footprints.subarray(7 * k + 4, 7 * k + 7), 3 * k);
  }
  const batch = new Batch(gl, DISC, [[places, 4], [outwards, 3]], count);
  const paint = brush(gl, FOOTPRINT);
  let now = run.begin;
  return {
    update(moment) {
      now = moment.time;
    },
    draw(shared, look) {
      if (!look.footprints || !look.ground) return;
      const span = run.end - run.begin || 1;
      const own = { u_time: now + 1e-6 * span, u_span: 0.5 * span, u_radius: 2.4 * sizes.nodeRadius };
      paint(shared, { ...own, u_colour: colour("contact"), u_ground: colour("ground") }, batch);
    },
  };
}
