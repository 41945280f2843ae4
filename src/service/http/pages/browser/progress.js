/**
 * Bytes for people: "999 bytes", "1.5 MB", "12 GB".
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

/** Speed is that of the last so many milliseconds. */
const speedWindowMs = 5000;

/**
 * Sums what has been sent by piece.
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
     * @param {number} bytes sent of this piece so far; less than before when it is sent anew
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
 * Where a part lies in the file; every part has the same size except the last.
 * @param {number} number counting from 1
 * @param {number} partSizeBytes
 * @param {number} fileBytes
 */
export function partRange(number, partSizeBytes, fileBytes) {
  const start = (number - 1) * partSizeBytes;
  return { start, end: Math.min(fileBytes, start + partSizeBytes) };
}

/**
 * Milliseconds before an attempt is repeated: twice as many each time, and never less than the server asks for.
 * @param {number} attempt counting from 1
 * @param {number} retryAfterSeconds 0: the server says nothing
 */
export const retryDelayMs = (attempt, retryAfterSeconds) =>
  Math.max(retryAfterSeconds * 1000, Math.min(15_000, 500 * 2 ** attempt));

/**
 * Links are absolute; the page may have been reached under another name of the same server.
 * @param {string} url
 */
export const withoutOrigin = (url) => url.replace(/^https?:\/\/[^/]+/, '');

/**
 * Why this file cannot be the one that the link is for; null: it can.
 * @param {{ readonly name: string, readonly size: number }} file
 * @param {{ readonly filename: string | null, readonly sizeBytes: number | null }} expected
 */
export function whyNot(file, { filename, sizeBytes }) {
  const bytes = (/** @type {number} */ count) => `${count.toLocaleString('en')} bytes`;
  if (sizeBytes !== null && file.size !== sizeBytes)
    return `This link is for ${filename} (${bytes(sizeBytes)}), but ${file.name} has ${bytes(file.size)}.`;
  return file.size === 0 ? `${file.name} is empty.` : null;
}
