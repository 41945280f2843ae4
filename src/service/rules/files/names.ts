import { badValue } from '../../../library/core/schema.ts';

const maxLength = 255;

/** The last segment of a name or path, without control characters; null when nothing is left. */
export function bareFilename(given: string): string | null {
  const name = given
    .slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1)
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f\u007f]/g, '')
    .trim();
  return name === '' || name === '.' || name === '..' ? null : name;
}

/**
 * A client's filename: the last segment, without control characters.
 * @throws EarshotError bad_request when nothing is left, or more than 255 characters
 */
export function cleanFilename(given: string): string {
  const name = bareFilename(given);
  if (name === null || Array.from(name).length > maxLength)
    throw badValue('filename', `file name of 1 to ${maxLength} characters`, given);
  return name;
}

/** At most 255 characters, keeping the extension. */
export function fitFilename(name: string): string {
  if (name.length <= maxLength) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return name.slice(0, maxLength - extension.length) + extension;
}

/** The last segment of a URL's path, as a filename; null when it has none. */
export function filenameOfUrl({ pathname }: URL): string | null {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    // Not valid percent-encoding: as it is.
  }
  const bare = bareFilename(name);
  return bare === null ? null : fitFilename(bare);
}

/** The filename of an import until the response names one. */
export const nameFromPath = (url: URL): string => filenameOfUrl(url) ?? 'import';

/**
 * Content types by extension, until a file is checked and for formats that the check does not know. The same types as
 * the tools' outputs have.
 */
const byExtension: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  m4b: 'audio/mp4',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg; codecs=opus',
  aiff: 'audio/aiff',
  aif: 'audio/aiff',
  aac: 'audio/aac',
  wma: 'audio/x-ms-wma',
  amr: 'audio/amr',
  ac3: 'audio/ac3',
  caf: 'audio/x-caf',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  mkv: 'video/x-matroska',
  webm: 'video/webm',
  avi: 'video/x-msvideo',
  mpg: 'video/mpeg',
  mpeg: 'video/mpeg',
  ts: 'video/mp2t',
  wmv: 'video/x-ms-wmv',
  '3gp': 'video/3gpp',
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  json: 'application/json',
};

const unknownContentType = 'application/octet-stream';

/** The client's content type, if it is valid and specific; otherwise the one of the extension. */
export function contentTypeFor(filename: string, said?: string | null): string {
  const given = said?.trim() ?? '';
  const known =
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=[\w!#$&^.+-]+)*$/.test(given) &&
    !given.startsWith(unknownContentType);
  if (known) return given.toLowerCase();
  return byExtension[filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()] ?? unknownContentType;
}
