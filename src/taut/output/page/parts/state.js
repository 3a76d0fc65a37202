// What the page is showing at the moment, and who wants to know when that changes.

export class State {
  constructor(values) {
    this.values = { ...values };
    this.listeners = [];
  }

  get(key) {
    return this.values[key];
  }

  put(changes) {
    const changed = Object.keys(changes).filter((key) => this.values[key] !== changes[key]);
    if (!changed.length) return;
    Object.assign(this.values, changes);
    for (const [keys, hear] of this.listeners) if (changed.some((key) => keys.includes(key))) hear(this.values);
  }

  /** Call now, and whenever one of these changes. */
  on(keys, hear) {
    this.listeners.push([keys, hear]);
    hear(this.values);
  }
}

/** An element with a class, text (never HTML) and children. */
export function element(tag, { kind, text, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}
