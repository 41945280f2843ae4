// Expands folders and patterns among the inputs, where the shell has not.
import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { standardStream } from './standard-streams.ts';

/** Extensions of possible recordings; a folder also holds pictures and notes. */
const recordings = new Set(
  (
    'wav wave bwf rf64 w64 aif aiff aifc caf au flac alac wv ape tta tak dsf dff 8svx mp3 mp2 m4a m4b aac ac3 eac3 ' +
    'dts ogg oga opus spx wma amr qcp sph mka mp4 m4v mov qt mkv webm avi wmv asf ts m2ts mts mpg mpeg vob flv 3gp ' +
    'ogv'
  ).split(' '),
);

const isRecording = (name: string): boolean =>
  !name.startsWith('.') && recordings.has(extname(name).slice(1).toLowerCase());

/** Natural order: part 2 before part 10. */
const byName = (): Intl.Collator['compare'] => new Intl.Collator('en', { numeric: true }).compare;

function filesOfFolder(folder: string): string[] {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && isRecording(entry.name))
    .map(({ name }) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .toSorted(byName());
  if (files.length === 0)
    throw new EarshotError('not_found', `There is no audio or video file in the folder ${folder}`, {
      nextAction: 'Folders inside it are not searched: name files, or a pattern such as "folder/**/*.wav".',
      details: { field: 'files', path: folder },
    });
  return files;
}

const signs = /[*?[\]{}]/;

/** What a pattern says in so many words: "takes" of 'takes/*\/*.wav'. */
function fixedFolder(pattern: string): string {
  const parts = pattern.split('/');
  return resolve(
    pattern.startsWith('/') ? '/' : '.',
    ...parts.slice(
      0,
      parts.findIndex((part) => signs.test(part)),
    ),
  );
}

/** Node prints a warning about experimental patterns before version 22.17; what we use of them works there. */
function matching(pattern: string): string[] {
  const emit = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    return globSync(pattern)
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
      .toSorted(byName());
  } finally {
    process.emitWarning = emit;
  }
}

/** A file among the inputs. */
interface Expanded {
  readonly path: string;
  /**
   * Its folder below the fixed one of the pattern that found it: "monday" of takes/monday/a.wav by 'takes/*\/*.wav'.
   */
  readonly folder: string;
}

/**
 * The files for typed arguments: the recordings in a folder, the files that match a pattern. A file named like a
 * pattern is that file.
 * @throws EarshotError not_found: no such file, or no match
 */
export function expandInputs(typed: readonly string[]): Expanded[] {
  const right = (path: string): Expanded => ({ path, folder: '' });
  return typed.flatMap((path) => {
    if (path === standardStream) return [right(path)];
    if (existsSync(path)) return (statSync(path).isDirectory() ? filesOfFolder(path) : [path]).map(right);
    if (!signs.test(path)) return [right(path)];
    const found = matching(path);
    if (found.length === 0)
      throw new EarshotError('not_found', `No file matches ${path}`, {
        nextAction: 'Check the pattern: * matches any name, ** any folders.',
        details: { field: 'files', path },
      });
    const base = fixedFolder(path);
    return found.map((file) => ({ path: file, folder: relative(base, dirname(resolve(file))) }));
  });
}
