// The runs of a command line, each with its files and its destination.
import { soundTrackOf } from '../../library/tools/declare/sound-track.ts';
import { badValue } from '../../library/core/checks/schema.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { RunOptions } from '../../library/runtime/engine/engine-types.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { planDestinations, type CliDestination } from './destination.ts';
import { positionalInputs, takesOneFile } from './flags.ts';
import { rawForm, rawName } from './raw.ts';
import { checkStandardInput, nameOf, standardStream } from './standard-streams.ts';

/** Flags of every tool's command. */
export interface CommonFlags {
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly skipExisting?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly dryRun?: boolean;
  readonly preset?: string;
  readonly jobs?: string;
  readonly formats?: string;
  readonly live?: boolean;
  readonly early?: boolean;
  /** The recogniser, for tools that use one. */
  readonly model?: string;
  /** One gain for all files of the batch. */
  readonly album?: boolean;
  readonly verbose?: boolean;
  /** Number or language of the sound track that is processed. */
  readonly track?: string;
  readonly keepTracks?: boolean;
  /** Form of inputs that are raw samples. */
  readonly raw?: string;
  /** Timeline of another program, whose clips are the ranges to keep. */
  readonly rangesFrom?: string;
  /** Frames a second of an EDL in it. */
  readonly rangesRate?: string;
  /** Where to split: times, a length, the file's chapters, its silences, a list. */
  readonly at?: string;
  readonly every?: string;
  readonly atChapters?: boolean;
  readonly atSilences?: boolean;
  readonly minSilence?: string;
  readonly atLabels?: string;
  /** Formats of timelines, separated by commas. */
  readonly timeline?: string;
  /** Where a report of the run goes: a file, or a folder. */
  readonly report?: string;
}

/** One run of a batch. */
export interface Piece {
  /** Its name in messages. */
  readonly subject: string;
  /** As typed, by input field. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  readonly destination: CliDestination;
}

const usage = (message: string, nextAction: string): EarshotError =>
  new EarshotError('bad_request', message, { nextAction });

/** The formats in --formats. */
export const formatList = ({ formats }: CommonFlags): readonly string[] | undefined =>
  formats === undefined ? undefined : [...new Set(formats.split(',').map((format) => format.trim().toLowerCase()))];

/** @throws EarshotError bad_request for contradictory flags */
export function checkFlags(tool: AnyTool, flags: CommonFlags): void {
  if (flags.overwrite && flags.skipExisting)
    throw usage('Expected either --overwrite or --skip-existing but received both', 'Leave out one of them.');
  if (flags.output === standardStream && flags.json)
    throw usage('Expected either -o - or --json but received both: standard output takes one of them', 'Name a file.');
  if (flags.report !== undefined && (flags.output === standardStream || flags.report === standardStream))
    throw usage(
      'Expected files for --report, because it reads the output again, but received -',
      'Name a file with -o, and one with --report.',
    );
  const aside = flags.report ?? flags.timeline ?? (flags.album || flags.dryRun ? '' : undefined);
  if (flags.raw !== undefined && aside !== undefined)
    throw usage(
      'Expected --raw without --report, --timeline, --album and --dry-run, which look at files, but received both',
      'Make a WAV of it first: earshot convert --raw … -o talk.wav.',
    );
  const { enum: pieces } = tool.options.properties?.['output'] ?? {};
  if (flags.output !== undefined && pieces?.includes(flags.output))
    throw usage(
      `Expected a file or a folder for --output but received ${flags.output}`,
      `Use --pieces ${flags.output}; --output is the destination (./${flags.output} for a file of that name).`,
    );
}

/**
 * Plans every run of a batch before the first starts.
 * @param flagged files given by flags, by input field
 * @param folders of each given file, where its outputs go below the folder of -o
 * @throws EarshotError bad_request, conflict
 */
export function planPieces(
  tool: AnyTool,
  given: readonly string[],
  flagged: Readonly<Record<string, string | readonly string[]>>,
  options: Readonly<Record<string, unknown>>,
  flags: CommonFlags,
  folders: readonly string[] = [],
): Piece[] {
  const byFlag = Object.fromEntries(Object.entries(flagged).map(([field, files]) => [field, [files].flat()]));
  const flaggedFiles = Object.values(byFlag).flat();
  const all = [...given, ...flaggedFiles];
  if (all.length === 0)
    throw usage(`Expected at least one file for ${tool.slug} but received none`, `See earshot ${tool.slug} --help.`);
  checkStandardInput(all);
  if (flags.raw !== undefined) rawForm(flags.raw);
  const nameFor = flags.raw === undefined ? nameOf : rawName;
  const common = {
    tool,
    allInputs: all.filter((file) => file !== standardStream),
    options,
    formats: formatList(flags),
    output: flags.output,
    existing: flags.overwrite ? ('replace' as const) : flags.skipExisting ? ('skip' as const) : ('refuse' as const),
  };
  if (takesOneFile(tool) && given.length > 0) {
    const [field = ''] = positionalInputs(tool)[0] ?? [];
    const destinations = planDestinations({ ...common, inputs: given.map(nameFor), folders, others: flaggedFiles });
    return given.map((file, index) => ({
      subject: nameOf(file),
      files: { ...byFlag, [field]: [file] },
      destination: destinations[index] as CliDestination,
    }));
  }
  const [destination] = planDestinations({
    ...common,
    inputs: all.slice(0, 1).map(nameFor),
    others: all.slice(1).map(nameOf),
  });
  return [
    {
      subject: nameOf(all[0] as string),
      files: { ...byFlag, ...inOrder(tool, given) },
      destination: destination as CliDestination,
    },
  ];
}

/** Plain arguments fill the positional inputs in order, each up to its maximum. */
function inOrder(tool: AnyTool, files: readonly string[]): Record<string, readonly string[]> {
  const byField: Record<string, readonly string[]> = {};
  let rest = files;
  const positional = positionalInputs(tool);
  for (const [index, [field, role]] of positional.entries()) {
    // The last one takes the rest, so that one file too many is reported rather than dropped.
    const count = index === positional.length - 1 ? rest.length : role.max;
    byField[field] = rest.slice(0, count);
    rest = rest.slice(count);
  }
  return byField;
}

/** The sound tracks in --track and --keep-tracks. */
export const soundTracks = ({
  track,
  keepTracks,
}: CommonFlags): Pick<RunOptions, 'soundTrack' | 'keepSoundTracks'> => ({
  ...(track === undefined ? {} : { soundTrack: soundTrackOf(track) }),
  ...(keepTracks === true ? { keepSoundTracks: true } : {}),
});

/** @throws EarshotError bad_request */
export function readJobs(text: string | undefined): number {
  if (text === undefined) return 1;
  if (!/^[1-9]\d{0,2}$/.test(text)) throw badValue('--jobs', 'integer between 1 and 999', text);
  return Number(text);
}
