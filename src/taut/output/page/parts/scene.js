// The drawing: all layers of all runs, as the camera sees them.
import { named, rgb, scaleBytes } from "./colours.js";
import { NodeTexture, texture } from "./gl.js";
import { drawingSizes, floor, LAYERS } from "./layers.js";

const SHARPEST = 2; // pixels of the drawing for one of the page
const LATE = 0.021; // [s] between pictures of a live motion, beyond which they are drawn in fewer pixels
const EARLY = 0.0172; // [s] below which in more again
const BLURRED = 0.4; // pixels of the drawing for one of the page, at least
const FEW_MEMBERS = 3000; // up to which edges are smoothed even where the processor has to do it

/** Whether a graphics card draws; else the processor does. */
function hasCard() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  const named = gl.getExtension("WEBGL_debug_renderer_info");
  const renderer = String(gl.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|software|basic render/i.test(renderer);
}

const memberCount = (runs) => runs.reduce((sum, { structure: s }) => sum + s.bars.names.length + s.cables.names.length, 0);

export class Scene {
  /** swift: whether many pictures a second matter more than smooth edges where the processor draws. */
  constructor(canvas, runs, camera, { swift = false } = {}) {
    const card = hasCard();
    const antialias = card || (!swift && memberCount(runs) <= FEW_MEMBERS);
    const gl = canvas.getContext("webgl2", { antialias, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("this browser has no WebGL2, or it is switched off");
    Object.assign(this, { canvas, runs, camera, gl, card, sharpness: 1, late: 0 });
    this.sizes = drawingSizes(runs);
    this.floor = floor(gl, runs, this.sizes);
    this.scale = texture(gl);
    this.parts = runs.map((run) => ({
      nodes: new NodeTexture(gl, run.structure.nodes.length),
      layers: LAYERS.map((make) => make(gl, run, this.sizes)),
    }));
    this.drawn = 0;
    gl.enable(gl.DEPTH_TEST);
    this.repaint();
  }

  /** Take up the colours of the theme. */
  repaint() {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.scale);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, scaleBytes());
    this.background = rgb(named("scene"));
    this.select = rgb(named("select"));
  }

  /** Fit the drawing to its place on the page; true if that changed. */
  resize() {
    const ratio = this.sharpness * Math.min(window.devicePixelRatio || 1, SHARPEST);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const wanted = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (this.canvas.width === wanted[0] && this.canvas.height === wanted[1]) return false;
    [this.canvas.width, this.canvas.height] = wanted;
    return true;
  }

  /** Draw in fewer pixels while pictures of a live motion come late, and in all of them when it rests. */
  keepUp(seconds, lively) {
    if (this.card) return;
    if (!lively) {
      this.sharpness = 1;
      return;
    }
    this.late = 0.9 * this.late + 0.1 * Math.min(seconds, 0.2);
    const wanted = this.late > LATE ? this.sharpness * 0.8 : this.late < EARLY ? this.sharpness * 1.25 : this.sharpness;
    const kept = Math.min(1, Math.max(BLURRED, wanted));
    if (kept === this.sharpness || performance.now() - (this.changed ?? 0) < 700) return;
    Object.assign(this, { sharpness: kept, changed: performance.now() });
  }

  update(moments, look) {
    moments.forEach((moment, k) => {
      this.parts[k].nodes.put(moment.nodes);
      for (const layer of this.parts[k].layers) layer.update(moment, look);
    });
  }

  /** The camera's matrices for the size on the page [px]. */
  matrices() {
    const { clientWidth, clientHeight } = this.canvas;
    const [low, high] = this.sizes.bounds;
    const far = Math.hypot(...[0, 1, 2].map((i) => Math.max(Math.abs(low[i] - this.camera.target[i]), Math.abs(high[i] - this.camera.target[i]))));
    return this.camera.matrices(clientWidth || 1, clientHeight || 1, 1.2 * far + 2 * this.sizes.size);
  }

  draw(look) {
    const { gl } = this;
    const { view, projection, pixel } = this.matrices();
    const shared = {
      u_view: view, u_projection: projection, u_pixel: pixel, u_background: this.background, u_select: this.select,
      u_fog: [this.camera.distance - 0.1 * this.sizes.size, 1.6 * this.sizes.size],
    };
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...this.background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.scale);
    gl.activeTexture(gl.TEXTURE0);
    this.floor.draw(shared, look);
    for (const { nodes, layers } of this.parts) {
      gl.bindTexture(gl.TEXTURE_2D, nodes.texture);
      for (const layer of layers) layer.draw(shared, look);
    }
    this.drawn += 1;
  }
}
