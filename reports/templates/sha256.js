// Return the SHA-256 of some bytes, in hexadecimal digits; a page that did not come by https has no other function for it.
function ownSha256(bytes) {
  const K = [], H = [], W = new Int32Array(64), n = bytes.byteLength, length = ((n + 72) >> 6) << 6;
  // The first bits of the fractional parts of square roots and cube roots of primes.
  for (let p = 2; K.length < 64; p++) {
    if ([...Array(p).keys()].some((q) => q > 1 && p % q === 0)) continue;
    if (H.length < 8) H.push((Math.sqrt(p) * 2 ** 32) | 0);
    K.push((Math.cbrt(p) * 2 ** 32) | 0);
  }
  const padded = new Uint8Array(length), view = new DataView(padded.buffer), turn = (x, k) => (x >>> k) | (x << (32 - k));
  padded.set(new Uint8Array(bytes));
  padded[n] = 128;
  view.setUint32(length - 8, Math.floor(n / 2 ** 29));
  view.setUint32(length - 4, (n % 2 ** 29) * 8);
  for (let at = 0; at < length; at += 64) {
    for (let i = 0; i < 16; i++) W[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const [a, b] = [W[i - 15], W[i - 2]];
      W[i] = W[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + W[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = H;
    for (let i = 0; i < 64; i++) {
      const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + W[i];
      const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((x, k) => { H[k] = (H[k] + x) | 0; });
  }
  return H.map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
}
