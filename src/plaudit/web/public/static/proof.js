// Checks proofs in the browser: receipts, signed notes and paths in a hash tree (RFC 9162). The
// formats are in docs/live/proof-formats.md. Nothing here trusts the server but its public keys.

const RECEIPT = /^([a-z0-9-]{1,64}):([A-Za-z0-9_-]+)$/;
const BLIND_BYTES = 16;
const LEAF_BYTES = 57;
const HASH_BYTES = 32;
const OTHERS_BYTES = 3 * HASH_BYTES;
const NODE_BYTES = 1 + 4 * HASH_BYTES;
const text = new TextEncoder();

/** Whether this browser can hash: only over https, or on this machine. */
export function canHash() {
  return Boolean(globalThis.crypto?.subtle);
}

/** The bytes of a base64 text, also of one for links; null where it is none. */
export function bytesOf(base64) {
  try {
    const plain = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(plain, (sign) => sign.charCodeAt(0));
  } catch {
    return null;
  }
}

function base64Of(bytes) {
  return btoa(String.fromCharCode(...bytes));
}

function hexOf(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function same(one, other) {
  return one.length === other.length && one.every((byte, place) => byte === other[place]);
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function sha256(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));
}

const leafHash = (data) => sha256(Uint8Array.of(0), data);
const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right);

function cut(bytes, size) {
  if (bytes.length % size) return null;
  return Array.from({ length: bytes.length / size }, (_, n) => bytes.slice(n * size, (n + 1) * size));
}

/** Where a receipt of version 1 has what, or one of version 2, whose leaf is at its end. */
function partsOf(raw) {
  if (raw[0] === 1 && raw.length >= 136) {
    return { leaf: 5, start: 62, signature: 72, path: cut(raw.slice(136), HASH_BYTES) };
  }
  const leaf = raw.length - LEAF_BYTES;
  if (raw[0] !== 2 || leaf < 78) return null;
  const lowest = Math.max(78, leaf - NODE_BYTES);
  const [nodes, others] = [cut(raw.slice(lowest, leaf), NODE_BYTES), cut(raw.slice(78, lowest), OTHERS_BYTES)];
  return { leaf, start: 5, signature: 14, path: nodes && others && [...nodes, ...others.reverse()] };
}

/** What a receipt says, or null where the text is none. */
export function readReceipt(given) {
  const found = RECEIPT.exec(given.trim());
  const raw = found && bytesOf(found[2]);
  const parts = raw && partsOf(raw);
  if (!parts?.path) return null;
  const entry = new DataView(raw.buffer, parts.leaf + BLIND_BYTES, 41);
  const start = Number(new DataView(raw.buffer).getBigUint64(parts.start, true));
  const position = Number(entry.getBigInt64(0, true));
  const receipt = {
    whole: given.trim(),
    version: raw[0],
    contest: found[1],
    keyHash: hexOf(raw.slice(1, 5)),
    leaf: raw.slice(parts.leaf, parts.leaf + LEAF_BYTES),
    position,
    kind: entry.getInt8(8),
    at: Number(entry.getBigInt64(9, true)),
    item: Number(entry.getBigInt64(25, true)),
    level: entry.getInt16(33, true),
    start,
    count: raw[parts.start + 8],
    index: position - start,
    signature: raw.slice(parts.signature, parts.signature + 64),
    path: parts.path,
  };
  const placed = raw[0] === 2 || raw[71] === receipt.index;
  return placed && receipt.index >= 0 && receipt.index < receipt.count ? receipt : null;
}

/** The root that the path of a receipt leads to, or null where it leads nowhere. */
async function rootOf(receipt) {
  let [found, index, count] = [await leafHash(receipt.leaf), receipt.index, receipt.count];
  if (receipt.version === 1) return rootFromPath(found, index, count, receipt.path);
  for (const [height, part] of receipt.path.entries()) {
    const place = index % 4;
    const after = HASH_BYTES * (3 - place);
    const node = height ? joined(Uint8Array.of(2), part.slice(after), found, part.slice(0, after)) : part;
    const own = 1 + HASH_BYTES * place;
    if (count === 1 || node[0] !== 2 || !same(node.slice(own, own + HASH_BYTES), found)) return null;
    found = await sha256(node);
    [index, count] = [Math.floor(index / 4), Math.ceil(count / 4)];
  }
  return count === 1 ? found : null;
}

/** The root that a path leads to, or null where it cannot be one of this place. */
export async function rootFromPath(leaf, index, size, path) {
  let [place, last, found] = [BigInt(index), BigInt(size) - 1n, leaf];
  if (place < 0n || place > last) return null;
  for (const step of path) {
    if (last === 0n || step?.length !== 32) return null;
    if (place % 2n === 1n || place === last) {
      found = await nodeHash(step, found);
      while (place && place % 2n === 0n) [place, last] = [place / 2n, last / 2n];
    } else {
      found = await nodeHash(found, step);
    }
    [place, last] = [place / 2n, last / 2n];
  }
  return last === 0n ? found : null;
}

/** The public keys in a text, one a line: name, hash and bytes. */
export async function readKeys(lines) {
  const keys = [];
  for (const line of lines.split("\n").map((each) => each.trim())) {
    const found = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line);
    const raw = found && bytesOf(found[3]);
    if (!raw || raw.length !== 33 || raw[0] !== 1) continue;
    const hash = hexOf((await sha256(text.encode(`${found[1]}\n`), raw)).slice(0, 4));
    if (hash === found[2]) keys.push({ name: found[1], hash, raw: raw.slice(1) });
  }
  return keys;
}

/** Whether a key has signed a text: true, false, or null where this browser cannot tell. */
export async function hasSigned(key, said, signature) {
  try {
    const name = { name: "Ed25519" };
    const ready = await crypto.subtle.importKey("raw", key.raw, name, false, ["verify"]);
    return await crypto.subtle.verify(name, ready, signature, text.encode(said));
  } catch {
    return null;
  }
}

/** Who signed a receipt: {key, signed}; signed is null where this browser cannot tell. */
export async function checkReceipt(receipt, keys) {
  const root = await rootOf(receipt);
  const key = keys.find((each) => each.hash === receipt.keyHash);
  if (root === null || !key) return { key, signed: false };
  const said = `${key.name}/${receipt.contest}\nreceipts ${receipt.start} ${receipt.count} ${base64Of(root)}\n`;
  return { key, signed: await hasSigned(key, said, receipt.signature) };
}

/** What a signed checkpoint says: {origin, size, root, time, signed}; null where it is none. */
export async function readCheckpoint(note, keys) {
  const [body, lines] = note.split("\n\n");
  const found = /^(\S+)\n(\d+)\n(\S{44})\ntime (\S+)\n/.exec(`${body}\n`);
  if (!found || lines === undefined) return null;
  let signed = false;
  for (const line of lines.split("\n")) {
    const [, name, base64] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    const raw = base64 && bytesOf(base64);
    const key = raw && keys.find((each) => each.name === name && each.hash === hexOf(raw.slice(0, 4)));
    if (key) signed = await hasSigned(key, `${body}\n`, raw.slice(4));
    if (key) break;
  }
  const [, origin, size, root, time] = found;
  return { origin, size: Number(size), root: bytesOf(root), time, signed };
}

/** Whether a proof shows that a receipt's entry is in the log of a checkpoint, unchanged. */
export async function isIncluded(receipt, checkpoint, hashes) {
  const path = hashes.map(bytesOf);
  const leaf = await leafHash(receipt.leaf);
  const root = await rootFromPath(leaf, receipt.position, checkpoint.size, path);
  return root !== null && checkpoint.root !== null && same(root, checkpoint.root);
}
