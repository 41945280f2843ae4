/** In bytes, encoded. */
const longest = 1000;

/**
 * A path of ours that came from outside, encoded for the header Location; null: it is none. "//evil.example" and
 * "/\evil.example" lead to another host, and browsers drop control characters before they look.
 */
export function ownPath(path: string | null | undefined): string | null {
  if (path === null || path === undefined || path.length > longest) return null;
  if (!/^\/(?![/\\])[^\\\s\p{Cc}\p{Cs}]*$/u.test(path)) return null;
  // What is encoded already stays.
  const encoded = encodeURI(path).replaceAll('%25', '%');
  return encoded.length > longest ? null : encoded;
}
