// Names and addresses of recordings, by the text of their paths: timelines are also written in browsers.

/** A path's last part. */
export const lastOf = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

/** A path's last part without its ending. */
export const stemOf = (path: string): string => lastOf(path).replace(/(?<=.)\.[^.]*$/, '');

/** A path's ending with its dot, in small letters; empty: it has none. */
export const endingOf = (path: string): string => /(?<=.)\.[^.]*$/.exec(lastOf(path))?.[0].toLowerCase() ?? '';

/** The name of the file that a URL or a path means. */
export function fileNameOf(url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  try {
    return lastOf(decodeURIComponent(path));
  } catch {
    return lastOf(path);
  }
}

/**
 * A path as a URL: of an absolute one a file's (RFC 8089), of a bare name a relative reference, which programs look for
 * beside the timeline.
 */
export function mediaUrl(path: string): string {
  const isDrive = /^[A-Za-z]:[\\/]/.test(path);
  const isShare = path.startsWith('\\\\');
  const parts = (isDrive || isShare ? path.replaceAll('\\', '/') : path).split('/').map((part, at) =>
    // A drive's colon is no part of a name.
    isDrive && at === 0 ? part : encodeURIComponent(part.replaceAll(/\p{Cs}/gu, '\uFFFD')),
  );
  const address = parts.join('/');
  return isDrive
    ? `file:///${address}`
    : isShare
      ? `file:${address}`
      : path.startsWith('/')
        ? `file://${address}`
        : address;
}
