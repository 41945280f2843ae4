import { parse } from 'content-disposition';

/**
 * The filename of Content-Disposition (RFC 6266), or else the last segment of the URL; null when there is neither.
 */
export function linkFilename(contentDisposition: string | null, url: URL): string | null {
  return cleaned(dispositionName(contentDisposition)) ?? cleaned(pathName(url));
}

function dispositionName(header: string | null): string | null {
  if (header === null) return null;
  try {
    return parse(header).parameters['filename'] ?? null;
  } catch {
    return null;
  }
}

function pathName(url: URL): string | null {
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** The last segment, without control characters; at most 255 characters, keeping the extension. */
function cleaned(name: string | null): string | null {
  const bare =
    (name ?? '')
      .split(/[/\\]/)
      .at(-1)
      // oxlint-disable-next-line no-control-regex
      ?.replaceAll(/[\u0000-\u001f\u007f]/g, '')
      .trim() ?? '';
  if (bare === '' || bare === '.' || bare === '..') return null;
  if (bare.length <= 255) return bare;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(bare)?.[0] ?? '';
  return bare.slice(0, 255 - extension.length) + extension;
}
