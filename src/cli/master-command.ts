import { withUnit } from '../library/core/readable.ts';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { badValue } from '../library/core/checks/schema.ts';
import { shortPath } from '../library/core/files/short-path.ts';
import type { MasteredTrack, MasterOptions, MasterRun, MasterTrack } from '../library/runtime/recipes/master.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { exitCodes, type ExitCode } from './terminal/exit.ts';
import { reporting } from './terminal/failed.ts';
import { refuseExisting } from './tool/destination.ts';
import { refusePage, writePage } from './tool/reports.ts';

interface MasterFlags {
  readonly music?: readonly string[];
  readonly effects?: readonly string[];
  readonly musicDb?: string;
  readonly target: NonNullable<MasterOptions['target']>;
  readonly customLufs?: string;
  readonly noiseReduction?: string;
  readonly sync?: boolean;
  readonly duck: boolean;
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
  readonly report?: string;
}

const examples = `
Examples:
  # Two speakers and music: a track without a voice is taken for music
  earshot master host.wav guest.wav music.wav -o episode.mp3
  # Recorders that did not start together
  earshot master host.wav guest.wav --music bed.wav --sync -o episode.mp3
  # Say which is which, the music 3 dB softer, for a broadcaster
  earshot master host.wav guest.wav --music bed.wav --music-db -3 --effects jingle.wav --target broadcast`;

/** `earshot master`: the tracks of one conversation as a finished episode. */
export function defineMaster(command: Command, context: CommandContext): void {
  command
    .description(
      'Makes one mastered file of tracks that begin at the same time, or are lined up first: each microphone is turned down while only ' +
        'others speak, speakers become equally loud, their noise is removed, music is lowered under them, and the ' +
        'whole is brought to a loudness target with peaks under -1 dBTP.',
    )
    .argument('<tracks...>', 'a track for each speaker; one without a voice is taken for music')
    .option('--music <files...>', 'tracks that are music')
    .option('--effects <files...>', 'tracks of jingles and effects, which are never lowered')
    .option('--music-db <dB>', 'gain of the music on top of the mix, -60 to 20 (default: 0)')
    .addOption(
      new Option('--target <name>', 'loudness: podcast -16 LUFS, streaming -14, broadcast -23, custom')
        .choices(['podcast', 'streaming', 'broadcast', 'custom'])
        .default('podcast'),
    )
    .option('--custom-lufs <LUFS>', 'loudness with --target custom, -30 to -5')
    .option(
      '--noise-reduction <percent>',
      "how much of each voice's noise is turned down, 0 or 10 to 100 (default: 100)",
    )
    .option('--sync', 'first line up recordings that did not start together, and correct their clocks')
    .option('--no-duck', 'leave music as loud while somebody speaks')
    .option(
      '-o, --output <file>',
      'the episode: wav, mp3, m4a or flac (default: beside the first track, <name>.master.wav)',
    )
    .option('--report <path>', 'also write a page (HTML) with pictures and measures of all tracks and of the episode')
    .option('-y, --overwrite', 'replace existing files')
    .option('--json', 'write JSON lines to stdout: progress, warnings, and the result or the error')
    .addHelpText('after', examples)
    .action(async (files: string[], flags: MasterFlags) =>
      context.finish(await runMaster(files, flags, context.signal)),
    );
}

async function runMaster(files: readonly string[], flags: MasterFlags, signal: AbortSignal): Promise<ExitCode> {
  const subject = 'master';
  return reporting({ json: flags.json ?? false, subject }, async (display) => {
    const tracks = tracksOf(files, flags);
    const options: MasterOptions = {
      target: flags.target,
      duck: flags.duck,
      sync: flags.sync ?? false,
      overwrite: flags.overwrite ?? false,
      signal,
      onProgress: (progress) => display.progress(subject, progress),
      onWarning: (warning) => display.warning(subject, warning),
      ...(flags.output === undefined ? {} : { output: flags.output }),
      ...numberFlag('customLufs', 'custom-lufs', flags.customLufs, -30, -5),
      ...numberFlag('noiseReduction', 'noise-reduction', flags.noiseReduction, 0, 100),
    };
    const report = reportPlace(flags, tracks);
    const [{ createEngine }, { masterTracks }] = await Promise.all([
      import('../library/runtime/engine/engine.ts'),
      import('../library/runtime/recipes/master.ts'),
    ]);
    await using engine = createEngine();
    const run = await masterTracks(engine, tracks, options);
    const text = describe(run);
    if (report !== null) {
      const { reportRun } = await import('../library/runtime/recipes/report/report.ts');
      const made = { ...run, tool: 'mix_tracks', outputs: [run.output] };
      const page = { title: `Episode: ${run.output.filename}`, summary: text.split('\n')[0] ?? '', signal };
      const content = await reportRun(
        made,
        tracks.map(({ path }) => path),
        page,
      );
      await writePage(report, content, flags.overwrite ?? false);
    }
    display.close();
    const reported = report === null ? {} : { report };
    display.result(
      subject,
      { outputs: [run.output.path], ...run.result, ...reported },
      report === null ? text : `${text}\n  report: ${shortPath(report)}`,
    );
    return exitCodes.ok;
  });
}

/** @throws EarshotError bad_request, conflict */
function reportPlace(
  { report, output, overwrite = false }: MasterFlags,
  tracks: readonly MasterTrack[],
): string | null {
  if (report === undefined) return null;
  const path = resolve(report);
  refusePage(path, { inputs: tracks.map((track) => track.path), outputs: output === undefined ? [] : [output] });
  refuseExisting(path, overwrite);
  return path;
}

function tracksOf(files: readonly string[], { music = [], effects = [], musicDb }: MasterFlags): MasterTrack[] {
  const { volumeDb } = numberFlag('volumeDb', 'music-db', musicDb, -60, 20);
  return [
    ...files.map((path) => ({ path })),
    ...music.map((path) => ({ path, role: 'music' as const, ...(volumeDb === undefined ? {} : { volumeDb }) })),
    ...effects.map((path) => ({ path, role: 'effects' as const })),
  ];
}

/** @throws EarshotError bad_request */
function numberFlag<Name extends string>(
  name: Name,
  flag: string,
  value: string | undefined,
  least: number,
  most: number,
): Partial<Record<Name, number>> {
  if (value === undefined) return {};
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!(number >= least && number <= most)) throw badValue(flag, `number between ${least} and ${most}`, value);
  return { [name]: number } as Partial<Record<Name, number>>;
}

function describe({ output, result }: MasterRun): string {
  const music = result.musicUnderVoiceLu;
  const under = music === null ? '' : `, music ${withUnit(music, 'LU')} under the voices`;
  const { integratedLufs, truePeakDbtp } = result.output;
  const head =
    `${shortPath(output.path)}: ${withUnit(integratedLufs, 'LUFS')}, true peak ` +
    `${withUnit(truePeakDbtp, 'dBTP')}${under}`;
  return [head, ...result.tracks.map((track) => `  ${shortPath(track.path)}: ${describeTrack(track)}`)].join('\n');
}

function describeTrack({ role, speechSeconds, inputLufs, levelDb, noiseEngine, ducked }: MasteredTrack): string {
  const from = `from ${withUnit(inputLufs, 'LUFS')}`;
  if (role !== 'voice') return [role, from, ...(ducked ? ['lowered under speech'] : [])].join(', ');
  return [
    role,
    `${withUnit(speechSeconds, 's')} of speech`,
    from,
    `speech ${withUnit(levelDb, 'dB')}`,
    noiseEngine === null ? 'noise left' : 'noise removed',
  ].join(', ');
}
