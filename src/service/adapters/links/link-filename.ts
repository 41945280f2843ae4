import { parse } from 'content-disposition';
import { bareFilename, filenameOfUrl, fitFilename } from '../../rules/files/names.ts';

/** The filename of Content-Disposition (RFC 6266), or else of the URL; null when there is neither. */
export function linkFilename(contentDisposition: string | null, url: URL): string | null {
  const named = bareFilename(dispositionName(contentDisposition));
  return named === null ? filenameOfUrl(url) : fitFilename(named);
}

function dispositionName(header: string | null): string {
  try {
    return header === null ? '' : (parse(header).parameters['filename'] ?? '');
  } catch {
    return '';
  }
}
