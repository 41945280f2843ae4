// What outputs are called, the same on every face: library, command line, service.
import type { Warning } from '../core/progress.ts';
import { basename, dirname, extname, join } from 'node:path';

/** What a name depends on, of a tool's declaration. */
interface Naming {
  readonly id: string;
  readonly slug: string;
  readonly formats?: readonly string[];
}

/**
 * One key for all spellings of a name that macOS and Windows take for one file: capitals, and accents as characters of
 * their own or not. By capitals, since one of them may have two small forms.
 */
export const nameKey = (name: string): string => name.normalize('NFC').toUpperCase().normalize('NFC');

const sameName = (one: string, other: string): boolean => nameKey(one) === nameKey(other);

/**
 * The name of one output: the input's, the command, the extension, talk.wav -> talk.loudness.wav. What is a text in one of
 * the tool's formats is called like the input alone, where players look for subtitles, unless an input has that name.
 * @param suggested what the tool suggests: an input's name with the extension of the output
 * @param inputs names of all inputs
 */
export function outputFilename({ slug, formats = [] }: Naming, suggested: string, inputs: readonly string[]): string {
  const extension = extname(suggested);
  const isText = formats.includes(extension.slice(1).toLowerCase());
  if (isText && !inputs.some((input) => sameName(basename(input), suggested))) return suggested;
  return `${basename(suggested, extension)}.${slug}${extension}`;
}

/** Answers values and writes no file. */
const reportsOnly = new Set(['analyze_audio']);

/**
 * What the outputs of a run will be called, as far as it is known before the work: none where that depends on what the
 * run finds. The run has the last word about extensions.
 * @param inputs names or paths of all inputs, the main one first
 * @param formats those that are written, of a tool that has a choice; default: all
 */
export function expectedNames(
  tool: Naming,
  inputs: readonly string[],
  options: Readonly<Record<string, unknown>>,
  formats: readonly string[] | null = null,
): string[] {
  const [main] = inputs;
  if (main === undefined || reportsOnly.has(tool.id)) return [];
  // One file for each range, and a list of cuts: named by the run.
  if (options['output'] === 'separate' || options['dry_run'] === true) return [];
  const stem = basename(main, extname(main));
  const format = options['format'] ?? options['output_format'];
  const own = typeof format === 'string' && format !== 'same' ? `.${format}` : extname(main).toLowerCase();
  const extensions = tool.formats?.length ? (formats ?? tool.formats).map((one) => `.${one}`) : [own];
  return extensions.map((extension) => outputFilename(tool, `${stem}${extension}`, inputs));
}

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
const extensionAliases: readonly (readonly string[])[] = [
  ['wav', 'wave', 'bwf', 'rf64'],
  ['mp3'],
  ['m4a', 'm4b', 'mp4', 'm4v'],
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

const texts = ['json', 'srt', 'vtt', 'txt'];

/** Does a name with this extension promise a format at all? */
export const isKnownExtension = (extension: string): boolean =>
  texts.includes(extension) || extensionAliases.some((group) => group.includes(extension));

/** May a file of this format have this extension? */
export const fitsExtension = (extension: string, format: string): boolean =>
  extension === format || extensionAliases.some((group) => group.includes(extension) && group.includes(format));

/** Says when a file's name promises another kind of medium than it holds. */
export function extensionWarning(path: string, format: string): Warning | null {
  const extension = extname(path).slice(1).toLowerCase();
  const isMedium = (one: string): boolean => extensionAliases.some((group) => group.includes(one));
  if (extension === format || !isMedium(extension) || !isMedium(format)) return null;
  if (fitsExtension(extension, format)) return null;
  return {
    code: 'extension_mismatch',
    message: `${basename(path)} holds ${format}, whatever its name says`,
  };
}
