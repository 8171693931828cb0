// What a page remembers: in localStorage, or in memory where storage is full or blocked (as in
// some frames). The rest of the page does not need to know which.

const memory = new Map();

function stored() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/** The text kept under a key, or null. */
export function get(key) {
  if (memory.has(key)) return memory.get(key);
  try {
    return stored()?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

/** Keeps a text under a key, as durably as this browser allows. */
export function set(key, text) {
  try {
    stored().setItem(key, text);
    memory.delete(key);
  } catch {
    memory.set(key, text);
  }
}

/** Forgets a key. */
export function remove(key) {
  memory.delete(key);
  try {
    stored()?.removeItem(key);
  } catch {
    // Storage is blocked, so it never held the key.
  }
}

/** All keys that begin like this, in order. */
export function keysLike(beginning) {
  const keys = new Set(memory.keys());
  try {
    const storage = stored();
    for (let place = 0; place < (storage?.length ?? 0); place += 1) keys.add(storage.key(place));
  } catch {
    // Storage is blocked: memory is all there is.
  }
  return [...keys].filter((key) => key.startsWith(beginning)).sort();
}
