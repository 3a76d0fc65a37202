// Puts the page together: reads the data, makes the parts, and draws whenever something changed.
import { Camera } from "./camera.js";
import { casePanel, Cases, firstScale } from "./cases.js";
import { Charts, firstChoices } from "./charts.js";
import { lineColour, named, rgb, theme } from "./colours.js";
import { decode, Moment, rerecorded } from "./data.js";
import { quantity } from "./format.js";
import { firstView, reached } from "./framing.js";
import { grabber, widened } from "./hold.js";
import { listenToKeys } from "./keyboard.js";
import { liveOf } from "./live.js";
import { LivePanel } from "./livepanel.js";
import { Inputs } from "./inputs.js";
import { drawLegend, drawRunNames, extremes } from "./legend.js";
import { postureMap } from "./map.js";
import { Overlay } from "./overlay.js";
import { modeList, nameOf, nextMode, numerics, selectionCard, summary, tabs, title, viewOptions } from "./panels.js";
import { pick, projector } from "./picking.js";
import { followed, Picture } from "./picture.js";
import { Player } from "./player.js";
import { posturePanel, tellVerdict } from "./posture.js";
import { listen } from "./pointer.js";
import { sceneOf } from "./scene.js";
import { element, State } from "./state.js";

const by = (id) => document.getElementById(id);
const SWING_PERIOD = 2; // [s] in which a mode swings once
const LEAST_SEEN = 0.1; // of the structure's size, half of what is in view
const FAR = 2.5; // a run that spreads over so many times its size is followed

start().catch((error) => {
  by("trouble").hidden = false;
  by("trouble").textContent = `This page could not be drawn: ${error.message}.`;
});

async function start() {
  const content = await decode(by("data").textContent);
  const { runs, picture } = content;
  const [first] = runs;
  const moving = runs.some((run) => run.time.length > 1);
  const { grid } = first; // of postures: inputs instead of time
  const { cases } = first; // of loads: chosen, instead of time
  const live = content.live ? await liveOf(content.live, first) : null;
  const state = new State({
    time: Math.min(...runs.map((run) => run.begin)), inputs: grid ? grid.start : [], active: 0, playing: false, speed: 1, selection: null,
    charted: moving || grid ? firstChoices(runs) : [], colouring: runs.length > 1 ? "run" : "tension", mode: "none", swing: 0.08,
    loadCase: 0, enlarged: 1, unloaded: true, driven: true,
    plates: true, pulleys: true, nodes: true, names: false, supports: true, load: true, reaction: true, contact: true, ground: true, shadow: true, footprints: true, trails: false, grid: true, flat: false, measured: true,
    live: false, hand: null, follow: false, theme: !picture && matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  });
  document.documentElement.dataset.theme = state.get("theme");
  document.body.classList.toggle("quiet", !moving && !grid && !cases);
  document.body.classList.toggle("picture", Boolean(picture));
  by("transport").hidden = !moving;
  title(by("title"), by("subtitle"), content);

  const camera = new Camera();
  const moments = runs.map((run) => new Moment(run));
  const scene = sceneOf(by("scene"), runs, camera, { swift: Boolean(content.live || picture), whole: Boolean(picture) });
  if (cases) state.put({ enlarged: firstScale(first, scene.sizes.size) });
  const overlay = new Overlay(by("overlay"), scene);
  const controls = grid ? new Inputs(by("inputs"), first, state) : cases ? new Cases(by("inputs"), first, state) : new Player(runs, state);
  const posture = grid ? posturePanel(first, moments[0], state) : null;
  const map = grid ? postureMap(first, state) : null;
  const livePanel = live && new LivePanel(live, first, state, { keep, title: content.title });
  const pages = [element("div"), numerics(runs, livePanel?.numerics)];
  const charts = (moving || grid) && !picture ? new Charts(...pages, runs, state, (value) => controls.scrub(value)) : null;
  const refresh = selectionCard(by("selection"), runs, moments, state);
  const look = {
    runColour: (run) => {
      if (!moments[run.number].found) return rgb(named("unknown")); // what is shown is the nearest posture
      return state.get("colouring") === "run" ? rgb(lineColour(run.number)) : null;
    },
  };
  let stale = true; // the moment has to be read again
  let dirty = true; // the picture has to be drawn again
  let swinging = 0;

  const turn = (view) => {
    camera.turnTo(view);
    fit();
  };
  const find = (name) => {
    for (const run of runs) {
      for (const kind of ["node", "bar", "cable"]) {
        const index = run.index[kind].get(name.trim());
        if (index !== undefined) {
          state.put({ selection: { run: run.number, kind, index } });
          return true;
        }
      }
    }
    return false;
  };
  const liveFirst = livePanel && !moving ? { Live: livePanel.page } : {};
  tabs(by("tabs"), by("pages"), {
    ...liveFirst, Cases: cases && casePanel(first, state), Posture: posture?.page, Map: map?.page, Charts: charts && pages[0], ...(moving ? { Live: livePanel?.page } : {}), Modes: modeList(first, state),
    Summary: summary(content), Numerics: pages[1].hasChildNodes() && pages[1], View: viewOptions(runs, state, { turn, find }),
  });

  function show() {
    const { mode, swing } = state.values;
    const shape = mode === "none" ? null : first.modes[mode];
    const amplitude = swing * scene.sizes.size * Math.sin((2 * Math.PI * swinging) / SWING_PERIOD);
    const before = [...moments[0].centre];
    moments.forEach((moment, k) => {
      if (k === 0 && live?.on) live.fill(moment);
      else moment.show(state.values, k === 0 ? shape : null, amplitude);
    });
    const along = moments[0].centre.map((value, axis) => value - before[axis]);
    if (state.get("follow") && live?.hand) live.move(live.hand.place.map((value, axis) => value + along[axis])); // it stays under the pointer
    if (live?.on) {
      if (widened(moments[0], look, state.get("colouring"))) drawLegend(by("legend"), runs, look, scene.floor.step);
      state.put({ hand: live.hand && { node: live.hand.node, place: live.hand.place, force: live.hand.force } });
    }
    if (state.get("follow")) camera.target = camera.target.map((value, axis) => value + moments[0].centre[axis] - before[axis]);
    scene.update(moments, look);
    stale = false;
    dirty = true;
  }

  function tell() {
    charts?.moveTo(!state.get("playing"));
    posture?.refresh();
    map?.refresh();
    livePanel?.tell();
    if (grid) tellVerdict(by("verdict"), first, moments[0], state.values);
    refresh();
  }

  function fit() {
    const { clientWidth, clientHeight } = scene.canvas;
    const points = moments.flatMap((moment) => moment.run.structure.nodes.map((_, k) => moment.place(k)));
    const follows = state.get("follow");
    for (const run of picture || !follows ? runs : []) {
      const looked = picture ? { most: Infinity } : {}; // a film is not fitted again
      for (const place of reached(run, scene.sizes.arrow, { ...looked, ...(follows ? followed(run, first, moments[0].centre) : {}) })) points.push(place);
    }
    const side = clientWidth < 600 ? 26 : 50;
    const [top, bottom] = ["heading", "legend"].map((id) => by(id).offsetHeight + 28);
    camera.fit(points, clientWidth, clientHeight, { left: side, right: side, top, bottom }, LEAST_SEEN * scene.sizes.size);
    dirty = true;
  }

  /** The live motion in the place of what was recorded. */
  function keep(rows, events) {
    rerecorded(first, rows, events);
    for (const arrow of moments[0].arrows) arrow.fill(0);
    by("transport").hidden = false;
    document.body.classList.remove("quiet");
    controls.take(runs);
    charts?.withdraw("Charts were of the motion that was recorded before; those of this one are in the Live tab.");
    state.put({ live: false, hand: null, footprints: false, time: first.begin });
    look.range = extremes(runs, state.get("colouring"));
    look.largest = look.range.largest;
    stale = true;
  }

  const redraw = () => {
    dirty = true;
  };
  state.on(["time", "inputs", "active", "mode", "swing", "loadCase", "enlarged"], () => {
    stale = true;
  });
  state.on(["theme"], (values) => {
    document.documentElement.dataset.theme = values.theme;
    scene.repaint();
  });
  state.on(["colouring"], ({ colouring }) => {
    look.range = extremes(runs, colouring);
    look.largest = look.range.largest;
    stale = true;
  });
  state.on(["theme", "colouring", "load", "reaction", "contact", "ground", "shadow", "footprints", "grid", "supports", "measured", "driven", "unloaded", "enlarged"], (values) => {
    Object.assign(look, values);
    drawLegend(by("legend"), runs, look, scene.floor.step);
    drawRunNames(by("runs"), runs);
    dirty = true;
  });
  state.on(["nodes", "names", "trails", "selection", "charted", "colouring"], (values) => {
    Object.assign(look, values);
    dirty = true;
  });
  state.on(["flat"], ({ flat }) => {
    camera.flat = flat;
    dirty = true;
  });
  state.on(["playing", "live"], ({ playing, live: shown }) => {
    if (live?.on && (playing || !shown)) Object.assign(live, { on: false, running: false });
    document.body.classList.toggle("lively", Boolean(live?.on));
    stale = true;
  });
  state.on(["time"], () => {
    if (live?.on) state.put({ live: false }); // someone scrubs through what is recorded
  });
  state.on(["follow"], ({ follow }) => by("follow").setAttribute("aria-pressed", follow));

  const toggle = (key) => () => state.put({ [key]: !state.get(key) });
  const switchTheme = () => state.put({ theme: theme() === "dark" ? "light" : "dark" });
  by("fit").addEventListener("click", fit);
  by("follow").addEventListener("click", toggle("follow"));
  by("theme").addEventListener("click", switchTheme);
  by("help").addEventListener("click", () => by("keys").showModal());
  listen(scene.canvas, camera, {
    size: scene.sizes.size, moved: redraw, doubled: fit, grab: live ? grabber(live, moments[0], scene, () => livePanel.holds()) : () => null,
    clicked: (x, y) => state.put({ selection: pick(scene, moments, look, x, y) }),
  });
  listenToKeys([
    ...(livePanel && !live.refused ? livePanel.keys() : []),
    ...controls.keys(),
    { keys: ["f"], words: "fit into view", act: fit },
    { keys: ["c"], words: "follow the centre of mass", act: toggle("follow") },
    { keys: ["x", "y", "z", "a"], words: "look along x, along y, from above, askew", act: (e) => turn({ x: "along_x", y: "along_y", z: "from_above", a: "askew" }[e.key.toLowerCase()]) },
    { keys: ["p"], words: "perspective or none", act: toggle("flat") },
    { keys: ["t"], words: "trails", act: toggle("trails") },
    { keys: ["n"], words: "node names", act: toggle("names") },
    { keys: ["m"], words: "next mode shape", act: () => state.put({ mode: nextMode(first, state.get("mode")) }) },
    { keys: ["d"], words: "light or dark", act: switchTheme },
    { keys: ["Escape"], words: "select nothing", act: () => state.put({ selection: null }) },
    { keys: ["?"], words: "this list", act: () => by("keys").showModal() },
  ]);

  const spread = Math.max(...[0, 1, 2].map((axis) => first.bounds[1][axis] - first.bounds[0][axis]));
  if (picture ? picture.follow : spread > FAR * Math.max(...first.bounds[2])) state.put({ follow: true });
  if (livePanel && !live.refused && !moving) livePanel.toggle();
  show();
  tell();
  camera.turnTo(picture?.view ?? firstView(scene.sizes.bounds));
  fit();

  let last = performance.now();
  let [fitted, placed] = [null, null];
  function frame(now) {
    const seconds = Math.min(0.25, (now - last) / 1000);
    last = now;
    if (state.get("playing")) controls.advance(seconds);
    if (live?.on && (live.advance(seconds) || live.stale)) {
      live.stale = false;
      stale = true;
      if (live.ended || live.news) livePanel.tell(true);
      live.news = false;
    }
    if (live?.on && live.mode?.shape) stale = true; // it swings
    if (state.get("mode") !== "none") {
      swinging += seconds;
      stale = true;
    }
    const going = Boolean(live?.on && live.running);
    scene.keepUp(seconds, going);
    if (scene.resize()) {
      const shape = `${scene.canvas.clientWidth > 600}`;
      const place = `${scene.canvas.clientWidth}x${scene.canvas.clientHeight}`;
      // Whenever the window changes, and when a phone is turned; but not once someone went nearer or aside.
      if (place !== placed && (camera.fitted || shape !== fitted)) fit();
      [fitted, placed] = [shape, place];
      dirty = true;
    }
    if (stale) {
      show();
      tell();
    }
    if (dirty) {
      dirty = false;
      scene.draw(look);
      overlay.draw(moments, state.values);
    }
    requestAnimationFrame(frame);
  }
  if (!picture) requestAnimationFrame(frame);

  /** A time, at once. */
  function drawAt(time) {
    if (scene.resize()) fit();
    state.put({ time });
    show();
    dirty = false;
    scene.draw(look);
    overlay.draw(moments, state.values);
  }

  window.taut = {
    state, scene, camera, controls, charts, runs, fit, live, livePanel,
    picture: picture && new Picture(picture, by("stage"), by("runs"), drawAt),
    names: () => runs.map((run) => run.name),
    positions: (run = 0) => Array.from(moments[run].nodes),
    tensions: (run = 0) => Array.from(moments[run].tension),
    redraw: () => scene.draw(look), // as it is, for whoever reads the picture
    quantity,
    barForces: (run = 0) => Array.from(moments[run].barForce),
    posture: () => posture?.told(),
    markers: (run = 0) => Array.from(moments[run].measured?.now ?? []),
    selected: () => state.get("selection") && nameOf(runs[state.get("selection").run], state.get("selection")),
    pixel: (x, y, z) => projector(scene)(x, y, z).slice(0, 2),
    settled: () => !stale && !dirty,
  };
  if (picture) drawAt(state.get("time"));
}
