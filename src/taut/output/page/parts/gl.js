// A thin layer over WebGL2: programs, meshes with instances, and the texture that holds the nodes.

const ROW = 1024;

export function program(gl, vertex, fragment) {
  const made = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const places = new Map();
  return {
    handle: made,
    place(name) {
      if (!places.has(name)) places.set(name, gl.getUniformLocation(made, name));
      return places.get(name);
    },
  };
}

/** Set uniforms by the shape of their values. */
export function uniforms(gl, used, values) {
  for (const [name, value] of Object.entries(values)) {
    const at = used.place(name);
    if (at === null) continue;
    if (typeof value === "number") gl.uniform1f(at, value);
    else if (value.length === 16) gl.uniformMatrix4fv(at, false, value);
    else if (value.length === 3) gl.uniform3fv(at, value);
    else gl.uniform2fv(at, value);
  }
}

/** What paints batches with a shader: textures of nodes, colours and the shadow are 0, 1 and 2. */
export function brush(gl, [vertex, fragment]) {
  const used = program(gl, vertex, fragment);
  return (shared, own, batch, mode) => {
    gl.useProgram(used.handle);
    gl.uniform1i(used.place("u_nodes"), 0);
    gl.uniform1i(used.place("u_scale"), 1);
    gl.uniform1i(used.place("u_mask"), 2);
    uniforms(gl, used, { ...shared, ...own, u_corners: batch.corners });
    batch.draw(mode);
  };
}

/** Copies of a mesh in one draw. Each copy has data of its own, which all its corners carry: drawing small meshes
 * instance by instance takes more than twice as long without a graphics card. Shaders find the copy as gl_VertexID / u_corners.
 * mesh: [numbers of the corners, numbers a corner, triangles or lines]; own: [data, numbers a copy] each. */
export class Batch {
  constructor(gl, [corners, size, indices], own, count) {
    Object.assign(this, { gl, count, corners: corners.length / size, vertices: indices.length * count });
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    const tiled = new Float32Array(corners.length * count);
    const all = new Uint32Array(this.vertices);
    for (let copy = 0; copy < count; copy++) {
      tiled.set(corners, copy * corners.length);
      for (let k = 0; k < indices.length; k++) all[copy * indices.length + k] = indices[k] + copy * this.corners;
    }
    this.parts = [[tiled, size], ...own.map(([data, width]) => [this.repeated(data, width), width])].map(([data, width], place) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, place ? gl.DYNAMIC_DRAW : gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      if (data instanceof Int32Array) gl.vertexAttribIPointer(place, width, gl.INT, 0, 0);
      else gl.vertexAttribPointer(place, width, gl.FLOAT, false, 0, 0);
      return { buffer, data, width };
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, all, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }

  repeated(data, width, out = new data.constructor(data.length * this.corners)) {
    for (let copy = 0, at = 0; copy < data.length; copy += width) {
      for (let corner = 0; corner < this.corners; corner++) {
        for (let k = 0; k < width; k++) out[at++] = data[copy + k];
      }
    }
    return out;
  }

  /** New data of the copies. */
  rewrite(place, data) {
    const part = this.parts[place];
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, part.buffer);
    this.gl.bufferSubData(this.gl.ARRAY_BUFFER, 0, this.repeated(data, part.width, part.data));
  }

  draw(mode = this.gl.TRIANGLES) {
    if (!this.count) return;
    this.gl.bindVertexArray(this.array);
    this.gl.drawElements(mode, this.vertices, this.gl.UNSIGNED_INT, 0);
  }
}

/** Node positions for shaders to look up, so that members are sent once and only nodes move. */
export class NodeTexture {
  constructor(gl, count) {
    this.gl = gl;
    this.height = Math.max(1, Math.ceil(count / ROW));
    this.pixels = new Float32Array(ROW * this.height * 4);
    this.texture = texture(gl);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, ROW, this.height, 0, gl.RGBA, gl.FLOAT, null);
  }

  put(nodes) {
    const { gl, pixels } = this;
    for (let k = 0, at = 0; k < nodes.length; k += 3, at += 4) {
      pixels[at] = nodes[k];
      pixels[at + 1] = nodes[k + 1];
      pixels[at + 2] = nodes[k + 2];
    }
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ROW, this.height, gl.RGBA, gl.FLOAT, pixels);
  }
}

export function texture(gl) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const [name, value] of [
    [gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ]) gl.texParameteri(gl.TEXTURE_2D, name, value);
  return made;
}

/** A round rod, with or without lids: corners (cos, sin, end, whether lid) and triangles. */
export function rod(sides, { lids }) {
  const corners = [];
  const triangles = [];
  for (const lid of lids ? [0, 1] : [0]) {
    for (const end of [0, 1]) {
      for (let k = 0; k < sides; k++) {
        const angle = (2 * Math.PI * k) / sides;
        corners.push(Math.cos(angle), Math.sin(angle), end, lid);
      }
    }
  }
  for (let k = 0; k < sides; k++) {
    const next = (k + 1) % sides;
    triangles.push(k, next, sides + k, sides + k, next, sides + next);
    if (lids && k > 1) for (const end of [2 * sides, 3 * sides]) triangles.push(end, end + k - 1, end + k);
  }
  return [new Float32Array(corners), 4, triangles];
}

/** A body of rings around an axis: (cos, sin, radius, station); stations 0, 1, 2 are foot, neck and tip of a glyph. */
export function turned(sides, rings) {
  const corners = [];
  const triangles = [];
  rings.forEach(([radius, station], ring) => {
    for (let k = 0; k < sides; k++) {
      const angle = (2 * Math.PI * (k + 0.5)) / sides;
      corners.push(Math.cos(angle), Math.sin(angle), radius, station);
      if (!ring) continue;
      const here = ring * sides;
      const next = (k + 1) % sides;
      triangles.push(here - sides + k, here - sides + next, here + k, here + k, here - sides + next, here + next);
    }
  });
  return [new Float32Array(corners), 4, triangles];
}
