import { contentTypeOfExtension, contentTypes, unknownContentType } from '../../../library/core/files/content-types.ts';
import { badValue } from '../../../library/core/checks/schema.ts';

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

/** The client's content type, if it is valid and specific; otherwise the one of the extension. */
export function contentTypeFor(filename: string, said?: string | null): string {
  const given = said?.trim() ?? '';
  const known =
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=[\w!#$&^.+-]+)*$/.test(given) &&
    !given.startsWith(unknownContentType);
  if (known) return given.toLowerCase();
  const extension = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
  if (extension === 'txt') return `${contentTypes.txt}; charset=utf-8`;
  return contentTypeOfExtension(extension) ?? unknownContentType;
}
