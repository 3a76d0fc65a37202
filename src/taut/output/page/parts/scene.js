// The drawing: all layers of all runs, as the camera sees them.
import { named, rgb, scaleBytes } from "./colours.js";
import { NodeTexture, texture } from "./gl.js";
import { drawingSizes, floor, LAYERS } from "./layers.js";
import { PaintedScene } from "./painted.js";

const SHARPEST = 2; // pixels of the drawing for one of the page
const FEW_MEMBERS = 3000; // up to which edges are smoothed even where the processor has to do it

/** Who draws: "card", "processor", or "" where there is no WebGL2. */
function drawer() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return "";
  const named = gl.getExtension("WEBGL_debug_renderer_info");
  const renderer = String(gl.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(renderer) ? "processor" : "card";
}

/**
 * The drawing of runs on a canvas. swift: whether the time of a picture matters most, as of a live motion and a film.
 * whole: nothing may be left out for that.
 */
export function sceneOf(canvas, runs, camera, { swift = false, whole = false } = {}) {
  const who = drawer();
  return !who || (swift && who === "processor") ? new PaintedScene(canvas, runs, camera, { whole }) : new Scene(canvas, runs, camera, who === "card");
}

const memberCount = (runs) => runs.reduce((sum, { structure: s }) => sum + s.bars.names.length + s.cables.names.length, 0);

export class Scene {
  constructor(canvas, runs, camera, card) {
    const antialias = card || memberCount(runs) <= FEW_MEMBERS;
    const gl = canvas.getContext("webgl2", { antialias, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("this browser gives no WebGL2 for the drawing; close other pages that draw, and load it again");
    Object.assign(this, { canvas, runs, camera, gl, card, painted: false, sharpness: 1 });
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

  keepUp() {} // it does

  update(moments, look) {
    moments.forEach((moment, k) => {
      this.parts[k].nodes.put(moment.nodes);
      for (const layer of this.parts[k].layers) layer.update(moment, look);
    });
  }

  matrices() {
    return this.camera.matricesOn(this.canvas, this.sizes);
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
