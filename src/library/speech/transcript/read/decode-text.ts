// Text files of any origin: with and without byte order marks, UTF-16 from Windows programs, or the code page of the
// machine they were written on.

/** Programs that join files leave several. */
const marks = /^\uFEFF+/u;

/**
 * The text of a file with `\n` as line ends (CRLF and single CR are line ends, too), without byte order mark and NUL
 * characters.
 *
 * @param bytes UTF-8; UTF-16 with a byte order mark, or without one where every other byte of the beginning is zero;
 *   anything else is read as windows-1252, in which all bytes are valid
 */
export function decodeText(bytes: Uint8Array): string {
  return normalText(decoded(bytes));
}

/** The same for text that is already decoded, for example in a request. */
export function normalText(text: string): string {
  return text
    .replace(marks, '')
    .replaceAll('\0', '')
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, '\n');
}

function decoded(bytes: Uint8Array): string {
  const utf16 = utf16Of(bytes);
  if (utf16 !== null) return new TextDecoder(utf16, { ignoreBOM: true }).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes.length < 4) return null;
  // Digits, line ends and letters at the start of subtitle files have one zero byte each.
  const zeros = [0, 0];
  const looked = Math.min(bytes.length, 64) & ~1;
  for (let at = 0; at < looked; at++) if (bytes[at] === 0) zeros[at % 2]! += 1;
  const most = looked / 2;
  if (zeros[1]! > 0.8 * most && zeros[0] === 0) return 'utf-16le';
  if (zeros[0]! > 0.8 * most && zeros[1] === 0) return 'utf-16be';
  return null;
}
