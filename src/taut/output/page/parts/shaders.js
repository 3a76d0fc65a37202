// Shaders. Everything is lit from the viewer, a little from above, and fades into the background with distance.

const HEAD = `#version 300 es
precision highp float;
uniform mat4 u_view, u_projection;
uniform highp sampler2D u_nodes;
uniform vec3 u_background;
uniform vec2 u_pixel, u_fog;
uniform float u_corners;
`;

const VERTEX = `${HEAD}
vec3 node(int k) { return (u_view * vec4(texelFetch(u_nodes, ivec2(k & 1023, k >> 10), 0).xyz, 1.0)).xyz; }
float pixel(float depth) { return u_pixel.x + u_pixel.y * max(depth, 0.0); }
float haze(float depth) { return clamp((depth - u_fog.x) / u_fog.y, 0.0, 1.0) * 0.55; }
vec3 along(vec3 a, vec3 b) { vec3 d = b - a; float l = length(d); return l > 0.0 ? d / l : vec3(0.0, 0.0, 1.0); }
int copy() { return gl_VertexID / int(u_corners); }
vec3 beside(vec3 d) { return normalize(cross(d, abs(d.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0))); }
`;

/** Turns a surface direction seen from the eye into brightness. */
const LIT = `${HEAD}
in vec3 v_normal;
in float v_haze;
flat in vec3 v_colour;
out vec4 colour;
void main() {
  vec3 n = normalize(v_normal);
  float light = 0.58 + 0.36 * max(n.z, 0.0) + 0.10 * n.y;
  colour = vec4(mix(v_colour * min(light, 1.04), u_background, v_haze), 1.0);
}`;

const OUT = `
out vec3 v_normal;
out float v_haze;
flat out vec3 v_colour;
`;

export const BAR = [`${VERTEX}${OUT}
layout(location = 0) in vec4 a_corner;
layout(location = 1) in ivec2 a_ends;
layout(location = 2) in float a_radius;
layout(location = 3) in float a_push;
uniform vec3 u_colour, u_select, u_compression;
uniform float u_selected;
void main() {
  bool chosen = int(u_selected) == copy();
  vec3 a = node(a_ends.x), b = node(a_ends.y), d = along(a, b), s = beside(d), t = cross(d, s);
  vec3 middle = mix(a, b, a_corner.z), radial = s * a_corner.x + t * a_corner.y;
  float radius = max(a_radius * (chosen ? 1.35 : 1.0), (chosen ? 2.2 : 1.1) * pixel(-middle.z));
  v_normal = a_corner.w > 0.5 ? d * (2.0 * a_corner.z - 1.0) : radial;
  v_haze = chosen ? 0.0 : haze(-middle.z);
  v_colour = chosen ? u_select : mix(u_colour, u_compression, a_push);
  gl_Position = u_projection * vec4(middle + radial * radius, 1.0);
}`, LIT];

/** A triangle of a plate, lit on the side that is seen. */
export const PLATE = [`${VERTEX}${OUT}
layout(location = 0) in float a_corner;
layout(location = 1) in ivec4 a_face;
uniform vec3 u_colour;
void main() {
  vec3 a = node(a_face.x), b = node(a_face.y), c = node(a_face.z), n = cross(b - a, c - a);
  vec3 at = a_corner < 0.5 ? a : a_corner < 1.5 ? b : c;
  v_normal = dot(n, u_pixel.x > 0.0 ? vec3(0.0, 0.0, -1.0) : at) > 0.0 ? -n : n;
  v_haze = haze(-at.z);
  v_colour = u_colour;
  gl_Position = u_projection * vec4(at, 1.0);
}`, LIT];

/** A pulley: a disc about its node, in the plane through it and two more nodes. Stations 0 and 3 are its faces, 1 and 2 its rim. */
export const PULLEY = [`${VERTEX}${OUT}
layout(location = 0) in vec4 a_corner;
layout(location = 1) in ivec3 a_nodes;
layout(location = 2) in float a_radius;
uniform vec3 u_colour;
uniform float u_thick;
void main() {
  vec3 c = node(a_nodes.x), a = node(a_nodes.y) - c, b = node(a_nodes.z) - c, n = cross(a, b);
  bool spanned = length(n) > 1e-6 * length(a) * length(b);
  n = spanned ? normalize(n) : vec3(0.0, 0.0, 1.0);
  vec3 s = beside(n), radial = s * a_corner.x + cross(n, s) * a_corner.y;
  float side = a_corner.w < 1.5 ? -1.0 : 1.0, rim = abs(a_corner.w - 1.5);
  vec3 at = c + radial * a_corner.z * a_radius + n * side * max(u_thick, 0.1 * a_radius);
  v_normal = rim < 1.0 ? radial : n * side;
  v_haze = haze(-at.z);
  v_colour = u_colour * (rim < 1.0 ? 0.8 : 1.0);
  gl_Position = u_projection * vec4(at, spanned ? 1.0 : 0.0);
}`, LIT];

/** A triangle of a ground, where it stands. What lies over it makes it darker: a mask of all members seen from above, on
 * all that faces up. */
export const GROUND = [`${VERTEX}${OUT}
layout(location = 0) in float a_corner;
layout(location = 1) in vec3 a_first;
layout(location = 2) in vec3 a_second;
layout(location = 3) in vec3 a_third;
uniform vec3 u_colour;
out vec3 v_place;
flat out float v_rise;
vec3 seen(vec3 place) { return (u_view * vec4(place, 1.0)).xyz; }
void main() {
  vec3 a = seen(a_first), b = seen(a_second), c = seen(a_third), n = cross(b - a, c - a);
  vec3 at = a_corner < 0.5 ? a : a_corner < 1.5 ? b : c, up = cross(a_second - a_first, a_third - a_first);
  v_place = a_corner < 0.5 ? a_first : a_corner < 1.5 ? a_second : a_third;
  v_rise = abs(up.z) / max(length(up), 1e-30);
  v_normal = dot(n, u_pixel.x > 0.0 ? vec3(0.0, 0.0, -1.0) : at) > 0.0 ? -n : n;
  v_haze = haze(-at.z);
  v_colour = u_colour;
  gl_Position = u_projection * vec4(at, 1.0);
}`, `${HEAD}
in vec3 v_normal, v_place;
in float v_haze;
flat in vec3 v_colour;
flat in float v_rise;
uniform sampler2D u_mask;
uniform vec3 u_dark;
uniform vec2 u_middle, u_centre;
uniform float u_half, u_shade, u_again, u_reach;
out vec4 colour;
void main() {
  float light = 0.58 + 0.36 * max(normalize(v_normal).z, 0.0) + 0.10 * normalize(v_normal).y;
  vec2 at = 0.5 + 0.5 * (v_place.xy - u_middle) / u_half;
  float shade = 0.0;
  if (v_rise > 0.2 && all(lessThan(abs(at - 0.5), vec2(0.5)))) shade = u_shade * textureLod(u_mask, at, 0.0).r;
  vec3 hue = u_again > 0.5 ? u_dark : mix(v_colour * min(light, 1.04), u_dark, shade);
  float fade = u_reach > 0.0 ? 1.0 - smoothstep(0.3, 1.0, length(v_place.xy - u_centre) / u_reach) : 1.0;
  float whole = u_again > 0.5 ? fade * shade : u_reach > 0.0 ? fade * (0.55 + 0.35 * shade) : 1.0;
  colour = vec4(mix(hue, u_background, v_haze), whole);
}`];

/** Things from above, for the shadow. */
const ABOVE = `${HEAD}
uniform vec2 u_middle;
uniform float u_half, u_soft;
vec2 above(int k) { return (texelFetch(u_nodes, ivec2(k & 1023, k >> 10), 0).xy - u_middle) / u_half; }
`;

/** A member: as dark as it is wide beside the rim of its shadow, which is soft. */
export const SHADOW_OF_MEMBER = [`${ABOVE}
layout(location = 0) in vec2 a_corner;
layout(location = 1) in ivec2 a_ends;
layout(location = 2) in float a_radius;
out vec2 v_at;
flat out float v_length, v_wide;
void main() {
  vec2 a = above(a_ends.x), b = above(a_ends.y), d = b - a;
  v_wide = a_radius / u_half;
  v_length = length(d);
  d = v_length > 1e-6 ? d / v_length : vec2(1.0, 0.0);
  float rim = v_wide + u_soft;
  v_at = vec2(mix(-rim, v_length + rim, a_corner.x), a_corner.y * rim);
  gl_Position = vec4(a + d * v_at.x + vec2(-d.y, d.x) * v_at.y, 0.0, 1.0);
}`, `${ABOVE}
in vec2 v_at;
flat in float v_length, v_wide;
out vec4 colour;
void main() {
  float off = length(vec2(v_at.x - clamp(v_at.x, 0.0, v_length), v_at.y));
  float dark = (1.0 - smoothstep(0.0, v_wide + u_soft, off)) * min(1.0, 1.6 * sqrt(v_wide / (v_wide + u_soft)));
  colour = vec4(vec3(dark), 1.0);
}`];

export const SHADOW_OF_PLATE = [`${ABOVE}
layout(location = 0) in float a_corner;
layout(location = 1) in ivec4 a_face;
void main() {
  gl_Position = vec4(above(a_corner < 0.5 ? a_face.x : a_corner < 1.5 ? a_face.y : a_face.z), 0.0, 1.0);
}`, `${ABOVE}
out vec4 colour;
void main() { colour = vec4(1.0); }`];

/** A ring on a ground where something touched it, from that time on; it fades into the ground. */
export const FOOTPRINT = [`${VERTEX}
layout(location = 0) in vec2 a_corner;
layout(location = 1) in vec4 a_place;
layout(location = 2) in vec3 a_out;
uniform float u_time, u_span, u_radius;
out vec2 v_at;
out float v_haze, v_age;
void main() {
  vec3 d = mat3(u_view) * a_out, s = beside(d), t = cross(d, s);
  vec3 at = (u_view * vec4(a_place.xyz, 1.0)).xyz;
  float radius = max(u_radius, 3.0 * pixel(-at.z));
  v_at = a_corner;
  v_age = clamp((u_time - a_place.w) / u_span, 0.0, 1.0);
  v_haze = haze(-at.z);
  at += radius * (s * a_corner.x + t * a_corner.y);
  gl_Position = u_projection * vec4(at, a_place.w <= u_time ? 1.0 : 0.0);
}`, `${HEAD}
in vec2 v_at;
in float v_haze, v_age;
uniform vec3 u_colour, u_ground;
out vec4 colour;
void main() {
  float r = dot(v_at, v_at);
  if (r > 1.0 || r < 0.25) discard;
  colour = vec4(mix(mix(u_colour, u_ground, 0.6 * v_age), u_background, v_haze), 1.0);
}`];

/** A cable is a ribbon that faces the viewer, shaded like a round cord. */
export const CABLE = [`${VERTEX}${OUT}
layout(location = 0) in vec2 a_corner;
layout(location = 1) in ivec3 a_piece;
layout(location = 2) in float a_value;
uniform sampler2D u_scale;
uniform vec3 u_select, u_push, u_unknown, u_plain;
uniform float u_selected, u_radius, u_largest, u_coloured;
void main() {
  bool chosen = int(u_selected) == a_piece.z;
  vec3 a = node(a_piece.x), b = node(a_piece.y), middle = mix(a, b, a_corner.x), d = along(a, b);
  vec3 eye = u_pixel.x > 0.0 ? vec3(0.0, 0.0, 1.0) : normalize(-middle);
  vec3 side = cross(d, eye);
  float size = length(side);
  side = size > 1e-4 ? side / size : beside(d);
  float slack = a_value == 0.0 ? 1.0 : 0.0;
  float radius = max(u_radius * (chosen ? 1.6 : 1.0), (chosen ? 2.0 : 0.85) * pixel(-middle.z)) * (1.0 - 0.35 * slack);
  vec3 hue = u_plain;
  if (u_coloured > 0.5) {
    hue = u_push;
    if (a_value >= 0.0) hue = textureLod(u_scale, vec2((0.5 + 255.0 * min(a_value / u_largest, 1.0)) / 256.0, 0.5), 0.0).rgb;
    if (a_value < -1e29) hue = u_unknown;
  }
  v_colour = chosen ? u_select : mix(hue, u_background, 0.72 * slack);
  v_normal = side * a_corner.y * 0.9 + eye * 0.45;
  v_haze = chosen ? 0.0 : haze(-middle.z);
  gl_Position = u_projection * vec4(middle + side * a_corner.y * radius, 1.0);
}`, LIT];

export const NODE = [`${VERTEX}
layout(location = 0) in vec2 a_corner;
uniform vec3 u_colour, u_select;
uniform float u_selected, u_radius;
out vec2 v_at;
out float v_haze;
flat out vec3 v_colour;
void main() {
  bool chosen = int(u_selected) == copy();
  vec3 middle = node(copy());
  float radius = max(u_radius * (chosen ? 1.5 : 1.0), (chosen ? 4.5 : 1.3) * pixel(-middle.z));
  v_at = a_corner;
  v_colour = chosen ? u_select : u_colour;
  v_haze = chosen ? 0.0 : haze(-middle.z);
  gl_Position = u_projection * vec4(middle + vec3(a_corner * radius, radius), 1.0);
}`, `${HEAD}
in vec2 v_at;
in float v_haze;
flat in vec3 v_colour;
uniform float u_least;
out vec4 colour;
void main() {
  float r = dot(v_at, v_at);
  float edge = fwidth(r);
  float cover = 1.0 - smoothstep(1.0 - edge, 1.0 + edge, r);
  if (cover <= u_least) discard; // where edges are not smoothed a pixel is covered or not
  vec3 n = vec3(v_at, sqrt(max(1.0 - r, 0.0)));
  colour = vec4(mix(v_colour * min(0.58 + 0.36 * n.z + 0.10 * n.y, 1.04), u_background, v_haze), cover);
}`];

/** Arrows and supports: bodies of rings along a vector, tip or tail at a node, or at a share of the way to another. */
export const GLYPH = [`${VERTEX}${OUT}
layout(location = 0) in vec4 a_corner;
layout(location = 1) in ivec2 a_ends;
layout(location = 2) in vec3 a_vector;
layout(location = 3) in float a_share;
uniform vec3 u_colour;
uniform float u_width, u_head, u_tip;
void main() {
  vec3 reach = mat3(u_view) * a_vector;
  float size = length(reach);
  vec3 d = size > 0.0 ? reach / size : vec3(0.0, 0.0, 1.0), s = beside(d), t = cross(d, s);
  float head = min(u_head, 0.6 * size), station = a_corner.w;
  float z = station < 0.5 ? 0.0 : station < 1.5 ? size - head : size;
  vec3 radial = s * a_corner.x + t * a_corner.y;
  vec3 at = mix(node(a_ends.x), node(a_ends.y), a_share) + d * (z - u_tip * size) + radial * a_corner.z * u_width * min(1.0, size / max(u_head, 1e-30));
  v_normal = normalize(radial + 0.3 * d);
  v_haze = haze(-at.z);
  v_colour = u_colour;
  gl_Position = u_projection * vec4(at, size > 0.0 ? 1.0 : 0.0);
}`, LIT];

export const GRID = [`${HEAD}
layout(location = 0) in vec4 a_place;
out float v_shown;
void main() {
  v_shown = a_place.w;
  gl_Position = u_projection * u_view * vec4(a_place.xyz, 1.0);
}`, `${HEAD}
in float v_shown;
uniform vec3 u_colour;
out vec4 colour;
void main() { colour = vec4(mix(u_background, u_colour, v_shown), 1.0); }`];
