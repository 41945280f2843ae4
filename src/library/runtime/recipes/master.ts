// A finished episode from the tracks of one conversation: bleed and levels over all tracks, then each track's noise,
// then the mix. In this order, because noise suppression changes the levels by which bleed is told from a voice: with
// noise removed first, the softer speaker stays 10 to 15 dB closer to the other's bleed (bench/tools/bleed.ts --noise).
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { checkCustomLufs } from '../../contract/loudness-target.ts';
import type { LoudnessFacts } from '../../contract/tool-results.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { badValue } from '../../core/checks/schema.ts';
import { createProgressMeter, type OnProgress, type Warning } from '../../core/progress/progress.ts';
import type { WarningCode } from '../../core/errors/warnings.ts';
import type { MixTracksOptions } from '../../tools/option-types.ts';
import type { Engine, RunOptions } from '../engine/engine-types.ts';
import { makeWorkFolder, refusePlace, removeWorkFolder, type OutputFile } from '../files/work-folder.ts';
import { forEachTrack } from './each-track.ts';
import { lineUp } from './line-up.ts';

/** What a track is in the mix: music falls under voices, effects do not. */
export type MasterRole = 'voice' | 'music' | 'effects';

/** A recording of the conversation; all begin at the same time, but with `sync`. */
export interface MasterTrack {
  /** Absolute, or from the current folder. */
  readonly path: string;
  /** Default: music where it has no voice, else a voice. */
  readonly role?: MasterRole;
  /** Gain on top of the mix's own, -60 to 20 dB. Default: 0. */
  readonly volumeDb?: number;
}

/** How an episode is mastered. */
export interface MasterOptions {
  /** podcast -16 LUFS, streaming -14, broadcast -23, custom (`customLufs`). Default: podcast. */
  readonly target?: 'podcast' | 'streaming' | 'broadcast' | 'custom';
  /** Integrated loudness, -30 to -5 LUFS; only with target custom. Default: none. */
  readonly customLufs?: number;
  /** Percent of each voice's noise that is turned down, 10 to 100; 0: none. Default: 100. */
  readonly noiseReduction?: number;
  /**
   * Recorders that did not start together: are they lined up by their sound first, and their clocks corrected? Tracks
   * whose role is given as music or effects stay where they are. Default: false.
   */
  readonly sync?: boolean;
  /** Lower music while someone speaks? Default: true. */
  readonly duck?: boolean;
  /**
   * Path of the episode: wav, mp3, m4a or flac. Default: beside the first track, `<name>.master.wav`. A track is never
   * replaced.
   */
  readonly output?: string;
  /** Folder for the tracks between the steps, some gigabytes an hour. Default: the system's temporary folder. */
  readonly tempDir?: string;
  /** true: replaces an existing file. Default: conflict. */
  readonly overwrite?: boolean;
  /** Ends the work; partial files are removed. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Gets the progress of the whole, which never falls. Default: none. */
  readonly onProgress?: OnProgress;
  /** Called for each warning as it comes up; the result holds all of them. Default: none. */
  readonly onWarning?: (warning: Warning) => void;
}

/** What was done with a track. */
export interface MasteredTrack {
  /** The path of its file, as it was given. */
  readonly path: string;
  readonly role: MasterRole;
  /** false: the role was given; true: it was found by whether somebody speaks. */
  readonly roleFound: boolean;
  /** Of its own speaker; null where it was not looked for (music and effects that were given as such). */
  readonly speechSeconds: number | null;
  /** As recorded, LUFS; null for silence. */
  readonly inputLufs: number | null;
  /** The gain of its speech as a whole, dB; null for other roles and where it is not finite. */
  readonly levelDb: number | null;
  /** The noise suppressor; null where noise was left. */
  readonly noiseEngine: string | null;
  /** Its gain in the mix without ducking, dB; null: not finite. */
  readonly mixDb: number | null;
  /** Was it lowered under voices? */
  readonly ducked: boolean;
}

/** The episode, and what was done. */
export interface MasterRun {
  readonly output: OutputFile;
  readonly warnings: readonly Warning[];
  readonly result: {
    readonly targetLufs: number;
    /** In the order of the tracks. */
    readonly tracks: readonly MasteredTrack[];
    /** Deepest ducking, dB; null without. */
    readonly duckDepthDb: number | null;
    /** Least distance of music below the voices while they speak, LU; null without ducking. */
    readonly musicUnderVoiceLu: number | null;
    /** Measured on the written file. */
    readonly output: LoudnessFacts;
  };
}

/** A speaker mostly says something within so many seconds; only tracks without a voice are read whole. */
const firstLookSeconds = 180;
/** What remove_noise says of a recording without a voice. */
const withoutVoice = new Set<WarningCode>(['no_voice', 'only_noise', 'silent', 'too_short']);
const formats = ['wav', 'mp3', 'm4a', 'flac'] as const;

/** Shares of the whole work; `lining up` is only done where it is asked for. */
const shares = {
  'lining up': 0.1,
  'finding voices': 0.1,
  levelling: 0.25,
  'removing noise': 0.4,
  mixing: 0.25,
} as const;
type Part = keyof typeof shares;

/** A track on its way into the mix. */
interface Prepared {
  /** As recorded where it is no voice. */
  readonly path: string;
  readonly role: MasterRole;
  readonly speechSeconds: number | null;
  readonly inputLufs: number | null;
  readonly levelDb: number | null;
  readonly noiseEngine: string | null;
}

/**
 * Makes one mastered file of two to twenty tracks, up to ten of them voices: each speaker's microphone is turned down
 * while only others speak, speakers are brought to one loudness, their noise is removed, music is lowered under them,
 * and the sum is brought to a loudness target with peaks under -1 dBTP.
 * @throws EarshotError bad_request for tracks, places and options that do not fit, and where no track has a voice;
 *   errors of level_speakers, remove_noise and mix_tracks; AbortError
 */
export async function masterTracks(
  engine: Engine,
  tracks: readonly MasterTrack[],
  options: MasterOptions = {},
): Promise<MasterRun> {
  const { signal, overwrite = false, onWarning } = options;
  const { output, format } = await placeOf(tracks, options);
  // Engines remove what a killed process leaves there.
  const folder = await makeWorkFolder(options.tempDir ?? tmpdir());
  const warnings: Warning[] = [];
  const warn = (warning: Warning): void => {
    warnings.push(warning);
    onWarning?.(warning);
  };
  const progress = shareProgress(options.onProgress);
  const stop = new AbortController();
  const control = { signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]) };
  const run: Step = (name, place, { of, done = (fraction: number) => fraction } = {}) => ({
    ...control,
    outputDir: join(folder, place),
    onProgress: (told) => progress(name, done(told.progress)),
    onWarning({ code, message }) {
      if (!ofStepAlone.has(code))
        warn({ code, message: of === undefined ? message : `${basename(of.path)}: ${message}` });
    },
  });
  try {
    const begun = options.sync === true ? await lineUp(engine, tracks, run('lining up', 'lined-up')) : tracks;
    const roles = await findRoles(engine, begun, run, stop);
    for (const [at, { path, role }] of tracks.entries())
      if (role === undefined && roles[at] === 'music')
        warn({ code: 'taken_for_music', message: `${basename(path)} has no voice: it is mixed as music` });
    const leveled = await levelVoices(engine, begun, roles, run('levelling', 'levelled'));
    const cleaned = await removeNoise(engine, tracks, leveled, options.noiseReduction ?? 100, run, stop);
    // Hours of several tracks take gigabytes.
    if (options.noiseReduction !== 0) await rm(join(folder, 'levelled'), { recursive: true, force: true });
    const mix = await engine.run(
      'mix_tracks',
      cleaned.map(({ path }, at) => ({ path, name: basename((tracks[at] as MasterTrack).path) })),
      mixOptions(tracks, cleaned, options, format),
      { ...control, output, overwrite, onProgress: (told) => progress('mixing', told.progress), onWarning: warn },
    );
    const { targetLufs, duckDepthDb, musicUnderVoiceLu, output: measured } = mix.result;
    return {
      output: mix.outputs[0] as OutputFile,
      warnings,
      result: {
        targetLufs,
        tracks: cleaned.map(({ role, speechSeconds, inputLufs, levelDb, noiseEngine }, at) => {
          const mixed = mix.result.tracks[at];
          return {
            path: (tracks[at] as MasterTrack).path,
            role,
            roleFound: tracks[at]?.role === undefined,
            speechSeconds,
            inputLufs: inputLufs ?? mixed?.input.integratedLufs ?? null,
            levelDb,
            noiseEngine,
            mixDb: mixed?.gainDb ?? null,
            ducked: mixed?.ducked ?? false,
          };
        }),
        duckDepthDb,
        musicUnderVoiceLu,
        output: measured,
      },
    };
  } finally {
    await removeWorkFolder(folder);
  }
}

/** The control of a run whose outputs go into a folder of their own. */
type Step = (
  part: Part,
  place: string,
  more?: {
    /** The track that its warnings are about. */
    readonly of?: MasterTrack | undefined;
    /** What its progress means for its part. */
    done?(fraction: number): number;
  },
) => RunOptions;

/** What steps say of their own outputs, which are not the result. */
const ofStepAlone = new Set<WarningCode>([...withoutVoice, 'no_speech', 'target_not_reached', 'deep_limiting']);

/** @throws EarshotError bad_request, conflict */
async function placeOf(
  tracks: readonly MasterTrack[],
  { output, overwrite = false, target = 'podcast', customLufs, noiseReduction = 100 }: MasterOptions,
): Promise<{ output: string; format: (typeof formats)[number] }> {
  const [first] = tracks;
  if (first === undefined || tracks.length < 2)
    throw new EarshotError('bad_request', `Expected 2 to 20 tracks but received ${tracks.length}`, {
      nextAction: 'For one recording use level_speakers, remove_noise and adjust_loudness.',
    });
  checkCustomLufs({ target, ...(customLufs === undefined ? {} : { custom_lufs: customLufs }) });
  if (noiseReduction !== 0 && !(noiseReduction >= 10 && noiseReduction <= 100))
    throw badValue('noiseReduction', '0, or a number between 10 and 100', noiseReduction);
  const usual = `${basename(first.path, extname(first.path))}.master.wav`;
  const path = resolve(output ?? join(dirname(first.path), usual));
  const extension = extname(path).slice(1).toLowerCase();
  const format = formats.find((each) => each === extension);
  if (format === undefined)
    throw new EarshotError(
      'bad_request',
      `Expected an output that ends in ${formats.join(', ')} but received ${basename(path)}`,
      { details: { field: 'output', expected: formats.join(', '), received: basename(path) } },
    );
  await refusePlace(
    path,
    tracks.map((track) => track.path),
    overwrite,
  );
  return { output: path, format };
}

/** The given roles; else music where remove_noise finds no voice. */
async function findRoles(
  engine: Engine,
  tracks: readonly MasterTrack[],
  run: Step,
  stop: AbortController,
): Promise<MasterRole[]> {
  let found = 0;
  const roles = await forEachTrack(
    tracks,
    async ({ path, role }, at) => {
      const isVoice = async (windowSeconds?: number): Promise<boolean> => {
        const { outputDir = '', signal } = run('finding voices', `heard-${at + 1}-${windowSeconds ?? 'all'}`);
        const heard = await engine.run(
          'remove_noise',
          path,
          { output_format: 'wav' },
          {
            outputDir,
            ...(signal === undefined ? {} : { signal }),
            ...(windowSeconds === undefined ? {} : { windowSeconds }),
          },
        );
        await rm(outputDir, { recursive: true, force: true });
        if (!heard.warnings.some(({ code }) => withoutVoice.has(code))) return true;
        return windowSeconds !== undefined && heard.processedSeconds >= windowSeconds - 1 && isVoice();
      };
      const own = role ?? ((await isVoice(firstLookSeconds)) ? 'voice' : 'music');
      found += 1;
      run('finding voices', '').onProgress?.({
        progress: found / tracks.length,
        stage: 'finding voices',
        estimatedSecondsLeft: null,
      });
      return own;
    },
    stop,
  );
  if (!roles.includes('voice'))
    throw new EarshotError('bad_request', 'Expected a voice on at least one track but found none', {
      nextAction: 'Mix music and effects with mix_tracks.',
    });
  return roles;
}

async function levelVoices(
  engine: Engine,
  tracks: readonly MasterTrack[],
  roles: readonly MasterRole[],
  control: RunOptions,
): Promise<Prepared[]> {
  const voices = tracks.filter((_, at) => roles[at] === 'voice').map(({ path }) => path);
  const inputs = voices.length === 1 ? { file_id: voices } : { track_file_ids: voices };
  const { result, outputs } = await engine.run('level_speakers', inputs, { output_format: 'wav' }, control);
  const facts = result.mode === 'tracks' ? result.tracks : [result];
  let next = 0;
  return tracks.map(({ path }, at) => {
    const role = roles[at] ?? 'voice';
    const unknown = { speechSeconds: null, inputLufs: null, levelDb: null, noiseEngine: null };
    if (role !== 'voice') return { path, role, ...unknown };
    const found = facts[next];
    const leveled = outputs[next]?.path ?? path;
    next += 1;
    if (found === undefined) return { path: leveled, role, ...unknown };
    const { speechSeconds, gainDb, input } = found;
    return { path: leveled, role, speechSeconds, inputLufs: input.integratedLufs, levelDb: gainDb, noiseEngine: null };
  });
}

async function removeNoise(
  engine: Engine,
  asked: readonly MasterTrack[],
  tracks: readonly Prepared[],
  percent: number,
  run: Step,
  stop: AbortController,
): Promise<Prepared[]> {
  if (percent === 0) return [...tracks];
  const fractions = tracks.map(({ role }): number => (role === 'voice' ? 0 : 1));
  return forEachTrack(
    tracks,
    async (track, at) => {
      if (track.role !== 'voice') return track;
      const { result, outputs } = await engine.run(
        'remove_noise',
        track.path,
        { auto_volume: false, noise_reduction: percent, output_format: 'wav' },
        run('removing noise', `clean-${at + 1}`, {
          of: asked[at],
          done(fraction) {
            fractions[at] = fraction;
            return fractions.reduce((sum, each) => sum + each, 0) / fractions.length;
          },
        }),
      );
      return { ...track, path: outputs[0]?.path ?? track.path, noiseEngine: result.engine };
    },
    stop,
    asked,
  );
}

function mixOptions(
  tracks: readonly MasterTrack[],
  prepared: readonly Prepared[],
  { target = 'podcast', customLufs, duck = true }: MasterOptions,
  format: (typeof formats)[number],
): MixTracksOptions {
  return {
    tracks: prepared.map(({ role }, at) => ({ role, volume_db: tracks[at]?.volumeDb ?? 0 })),
    duck: duck && prepared.some(({ role }) => role === 'music'),
    target,
    ...(customLufs === undefined ? {} : { custom_lufs: customLufs }),
    output_format: format,
  };
}

/** Progress of the whole from that of its parts. */
function shareProgress(onProgress: OnProgress | undefined): (part: Part, fraction: number) => void {
  const meter = createProgressMeter();
  const done: Record<Part, number> = {
    'lining up': 0,
    'finding voices': 0,
    levelling: 0,
    'removing noise': 0,
    mixing: 0,
  };
  return (part, fraction) => {
    done[part] = Math.max(done[part], fraction);
    const whole = (Object.keys(shares) as Part[]).reduce((sum, each) => sum + shares[each] * done[each], 0);
    onProgress?.(meter(whole, part));
  };
}
