// Puzzles that take work to solve: SHA-256 with leading zero bits, as service/door/puzzle.py has them.
// Plain arithmetic, because the browser's own SHA-256 answers one hash at a time, much too late.

const K = new Int32Array(64);
const START = new Int32Array(8);
// The constants of SHA-256 are the first bits of square and cube roots of primes.
for (let number = 2, found = 0; found < 64; number += 1) {
  let prime = true;
  for (let factor = 2; factor * factor <= number; factor += 1) prime &&= number % factor !== 0;
  if (!prime) continue;
  if (found < 8) START[found] = (Math.sqrt(number) % 1) * 2 ** 32;
  K[found] = (Math.cbrt(number) % 1) * 2 ** 32;
  found += 1;
}

const words = new Int32Array(64);
const state = new Int32Array(8);

/** Takes the 16 words at the front of `words` into `state`. */
function compress() {
  for (let t = 16; t < 64; t += 1) {
    const x = words[t - 15];
    const y = words[t - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[t] = (words[t - 16] + s0 + words[t - 7] + s1) | 0;
  }
  let a = state[0], b = state[1], c = state[2], d = state[3];
  let e = state[4], f = state[5], g = state[6], h = state[7];
  for (let t = 0; t < 64; t += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s1 + ((e & f) ^ (~e & g)) + K[t] + words[t]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/** The eight words of the SHA-256 of a text. */
export function seedOf(text) {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  state.set(START);
  for (let block = 0; block < padded.length; block += 64) {
    for (let t = 0; t < 16; t += 1) words[t] = view.getUint32(block + 4 * t);
    compress();
  }
  return Int32Array.from(state);
}

/** The first nonce from `nonce` on that solves a puzzle; null where the next `tries` do not. */
export function search(seed, puzzle, nonce, bits, tries) {
  words.set(seed);
  words[8] = puzzle;
  words.fill(0, 11, 16);
  words[11] = 0x80000000;
  words[15] = 44 * 8;
  const shift = Math.max(0, 32 - bits);
  for (let last = nonce + tries; nonce < last; nonce += 1) {
    words[9] = nonce / 2 ** 32;
    words[10] = nonce;
    state.set(START);
    compress();
    if (state[0] >>> shift === 0 && (bits <= 32 || state[1] >>> (64 - bits) === 0)) return nonce;
  }
  return null;
}
