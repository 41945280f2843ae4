import type { Warning } from '../core/progress.ts';
import { basename, dirname, extname, join } from 'node:path';

const longestNameBytes = 255;

/**
 * The path with a name that file systems take: the end of a stem that is too long goes, `suffix` and extension stay.
 */
export function fittingPath(path: string, suffix = ''): string {
  const name = basename(path);
  const extension = extname(name);
  let stem = name.slice(0, name.length - extension.length);
  while (Buffer.byteLength(`${stem}${suffix}${extension}`) > longestNameBytes && stem !== '')
    stem = Array.from(stem).slice(0, -1).join('');
  return join(dirname(path), `${stem}${suffix}${extension}`);
}

/** Extensions that people give to files of one kind. */
const kin: readonly (readonly string[])[] = [
  ['wav', 'wave', 'bwf', 'rf64'],
  ['mp3'],
  ['m4a', 'm4b', 'mp4', 'm4v', 'aac'],
  ['mov', 'qt', 'mp4'],
  ['flac'],
  ['ogg', 'oga', 'ogv', 'opus', 'spx'],
  ['aiff', 'aif', 'aifc'],
  ['wma', 'wmv', 'asf'],
  ['mkv', 'mka', 'webm'],
  ['avi'],
  ['ts', 'm2ts', 'mts'],
  ['mpg', 'mpeg', 'vob'],
  ['flv'],
  ['aac'],
];

/** Says when a file's name promises another kind of medium than it holds. */
export function extensionWarning(path: string, format: string): Warning | null {
  const extension = extname(path).slice(1).toLowerCase();
  const isMedium = (one: string): boolean => kin.some((group) => group.includes(one));
  if (extension === format || !isMedium(extension) || !isMedium(format)) return null;
  if (kin.some((group) => group.includes(extension) && group.includes(format))) return null;
  return {
    code: 'extension_mismatch',
    message: `${basename(path)} holds ${format}, whatever its name says`,
  };
}
