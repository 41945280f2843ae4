/**
 * Formats bytes: "999 bytes", "1.5 MB", "12 GB".
 * @param {number} bytes
 */
export function formatBytes(bytes) {
  const names = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let rest = bytes;
  let index = 0;
  while (rest >= 1000 && index < names.length - 1) {
    rest /= 1000;
    index++;
  }
  return `${index === 0 ? rest : rest.toFixed(rest < 10 ? 1 : 0)}\u00a0${names[index]}`;
}

/** Time window of the measured speed, milliseconds. */
const speedWindowMs = 5000;

/**
 * Adds up the sent bytes of all pieces.
 * @param {number} totalBytes
 * @param {() => number} now milliseconds, monotone
 */
export function createMeter(totalBytes, now) {
  /** @type {Map<number | string, number>} */
  const sent = new Map();
  /** @type {{ at: number, sum: number }[]} */
  let seen = [];
  return {
    /**
     * @param {number | string} piece
     * @param {number} bytes of this piece sent so far; fewer than before when it is sent again
     * @returns {{ fraction: number, bytesPerSecond: number }}
     */
    set(piece, bytes) {
      sent.set(piece, bytes);
      const sum = Math.min(
        totalBytes,
        [...sent.values()].reduce((a, b) => a + b, 0),
      );
      const at = now();
      seen = [...seen.filter((point) => at - point.at < speedWindowMs), { at, sum }];
      const first = seen[0] ?? { at, sum };
      return {
        fraction: totalBytes > 0 ? sum / totalBytes : 1,
        bytesPerSecond: at > first.at ? Math.max(0, ((sum - first.sum) * 1000) / (at - first.at)) : 0,
      };
    },
  };
}

/**
 * Start and end of a part in the file; every part has the same size except the last.
 * @param {number} number counting from 1
 * @param {number} partSizeBytes
 * @param {number} fileBytes
 */
export function partRange(number, partSizeBytes, fileBytes) {
  const start = (number - 1) * partSizeBytes;
  return { start, end: Math.min(fileBytes, start + partSizeBytes) };
}

/**
 * Milliseconds before a retry: doubles each time, at least the server's Retry-After.
 * @param {number} attempt counting from 1
 * @param {number} retryAfterSeconds 0: none
 */
export const retryDelayMs = (attempt, retryAfterSeconds) =>
  Math.max(retryAfterSeconds * 1000, Math.min(15_000, 500 * 2 ** attempt));

/**
 * Makes a link relative to the page, which may have been opened under another host name of the server.
 * @param {string} url
 */
export const withoutOrigin = (url) => url.replace(/^https?:\/\/[^/]+/, '');

/**
 * Why this file does not match the link; null: it does.
 * @param {{ readonly name: string, readonly size: number }} file
 * @param {{ readonly filename: string | null, readonly sizeBytes: number | null }} expected
 */
export function whyNot(file, { filename, sizeBytes }) {
  const bytes = (/** @type {number} */ count) => `${count.toLocaleString('en')} bytes`;
  if (sizeBytes !== null && file.size !== sizeBytes)
    return `This link is for ${filename} (${bytes(sizeBytes)}), but ${file.name} has ${bytes(file.size)}.`;
  return file.size === 0 ? `${file.name} is empty.` : null;
}
