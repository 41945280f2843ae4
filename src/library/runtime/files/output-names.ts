// Names of outputs, the same in library, command line and service.
import type { Warning } from '../../core/progress/progress.ts';
import { captionKinds } from '../../contract/text-files.ts';
import { basename, dirname, extname, join } from 'node:path';

/** The parts of a tool's declaration that names depend on. */
interface Naming {
  readonly writesText?: boolean;
  readonly slug: string;
  readonly formats?: readonly string[];
}

/**
 * One key for all spellings of a name that macOS and Windows treat as the same file: upper or lower case, composed or
 * decomposed accents. Upper case, since one capital may have two small forms.
 */
export const nameKey = (name: string): string => name.normalize('NFC').toUpperCase().normalize('NFC');

const sameName = (one: string, other: string): boolean => nameKey(one) === nameKey(other);

/**
 * The name of one output: the input's with the tool's slug before the extension, talk.wav -> talk.loudness.wav. Text in
 * one of the tool's formats is named like the input alone, where players look for subtitles, unless an input has that
 * name.
 * @param suggested the tool's suggestion: an input's name with the extension of the output
 * @param inputs names of all inputs
 */
export function outputFilename({ slug, formats = [] }: Naming, suggested: string, inputs: readonly string[]): string {
  const extension = extname(suggested);
  const kinds: readonly string[] = formats.length === 0 ? [] : [...formats, ...captionKinds];
  const isText = kinds.includes(extension.slice(1).toLowerCase());
  if (isText && !inputs.some((input) => sameName(basename(input), suggested))) return suggested;
  return `${basename(suggested, extension)}.${slug}${extension}`;
}

/** false: a tool that only answers values. */
export const writesFiles = ({ writesText = false, formats }: Pick<Naming, 'writesText' | 'formats'>): boolean =>
  !writesText || formats !== undefined;

/** Does a run only answer values: because its tool does no more, or because it is to look and change nothing? */
export const answersOnly = (
  tool: Pick<Naming, 'writesText' | 'formats'>,
  options: Readonly<Record<string, unknown>>,
): boolean => !writesFiles(tool) || options['dry_run'] === true || options['find_only'] === true;

/** The format that options ask for; null: as the input. */
export function askedFormat(options: Readonly<Record<string, unknown>>): string | null {
  const format = options['format'] ?? options['output_format'];
  return typeof format === 'string' && format !== 'same' ? format : null;
}

/**
 * Names of a run's outputs, as far as they are known before the work; none where they depend on what the run finds. The
 * run may still change extensions.
 * @param inputs names or paths of all inputs, the main one first
 * @param formats the formats that are written, for a tool with a choice; default: all
 */
export function expectedNames(
  tool: Naming,
  inputs: readonly string[],
  options: Readonly<Record<string, unknown>>,
  formats: readonly string[] | null = null,
): string[] {
  const [main] = inputs;
  if (main === undefined || answersOnly(tool, options)) return [];
  // One file per range: the run names them.
  if (options['output'] === 'separate') return [];
  const stem = basename(main, extname(main));
  const format = askedFormat(options);
  const own = format === null ? extname(main).toLowerCase() : `.${format}`;
  const { captions = [] } = options as { readonly captions?: readonly string[] };
  const extensions = tool.formats?.length ? [...(formats ?? tool.formats), ...captions].map((one) => `.${one}`) : [own];
  return extensions.map((extension) => outputFilename(tool, `${stem}${extension}`, inputs));
}

const longestNameBytes = 255;

/** The path with a name short enough for file systems: the stem is cut, `suffix` and extension stay. */
export function fittingPath(path: string, suffix = ''): string {
  const name = basename(path);
  const extension = extname(name);
  let stem = name.slice(0, name.length - extension.length);
  while (Buffer.byteLength(`${stem}${suffix}${extension}`) > longestNameBytes && stem !== '')
    stem = Array.from(stem).slice(0, -1).join('');
  return join(dirname(path), `${stem}${suffix}${extension}`);
}

/** Extensions that are used for files of one kind. */
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

/** Does this extension name a known format? */
export const isKnownExtension = (extension: string): boolean =>
  texts.includes(extension) || extensionAliases.some((group) => group.includes(extension));

/** May a file of this format have this extension? */
export const fitsExtension = (extension: string, format: string): boolean =>
  extension === format || extensionAliases.some((group) => group.includes(extension) && group.includes(format));

/** A warning when a file's extension promises another format than it holds. */
export function extensionWarning(path: string, format: string): Warning | null {
  const extension = extname(path).slice(1).toLowerCase();
  const isMedium = (one: string): boolean => extensionAliases.some((group) => group.includes(one));
  if (extension === format || !isMedium(extension) || !isMedium(format)) return null;
  if (fitsExtension(extension, format)) return null;
  return {
    code: 'extension_mismatch',
    message: `${basename(path)} holds ${format}; its extension says otherwise`,
  };
}
