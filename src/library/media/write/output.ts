// Which file an edited copy of an input becomes, and how it is opened.
import { basename, extname, join } from 'node:path';
import type { Warning } from '../../core/progress/progress.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import { type OnThreadsOption, openEncoder, type ThreadedSink } from './encode.ts';
import type { MediaFacts } from '../facts.ts';
import { allKept, chaptersIn, isAllKept, type SourcePart } from '../kept.ts';
import { type ChannelLimits, outputFormats, type OutputFormatId, sameFormat } from '../formats.ts';
import { readTags } from './read-tags.ts';
import { travelling, withoutTimes } from '../tags/rules.ts';
import type { Again } from './audio-encoder.ts';
import { bitDepthFor, isLosslessCodec } from './bit-depth.ts';
import { encoderLevelDb } from './codec/encoder-level.ts';
import { openRemux, videoContainerFor } from './remux.ts';
import { NoJointError, type Stretch } from './segments/patched.ts';
import { soundFor } from './video-sound.ts';
import { asWritten, isWorkingForm, soundRateBps } from './written-form.ts';

/** The choice of every editing tool: the input's format (a video stays a video) or a named audio format. */
export type OutputChoice = 'same' | OutputFormatId;

export interface OutputPlan {
  readonly kind: 'audio' | 'video';
  /** Of the file name, without the dot. */
  readonly format: string;
  /** Of sound that is written alone; null for a video. */
  readonly soundFormat: OutputFormatId | null;
  readonly contentType: string;
  readonly lossless: boolean;
  /** Of the sound's format. */
  readonly limits: ChannelLimits;
  /** Was sound asked for, whatever the input is? */
  readonly leavesPicture: boolean;
  readonly warnings: readonly Warning[];
}

const losslessCodecOf = ({ audio }: MediaFacts): string | null =>
  audio && isLosslessCodec(audio.codec) ? audio.codec : null;

/** An audiobook, which players keep apart from music by its extension or its brand. */
export const isBook = ({ path, format, tags }: MediaFacts): boolean =>
  format === 'm4a' && (extname(path).toLowerCase() === '.m4b' || tags['major_brand']?.startsWith('M4B') === true);

/** What an edited copy of this input will be. */
export function planOutput(input: MediaFacts, chosen: OutputChoice): OutputPlan {
  const facts = asWritten(input);
  const choice = isWorkingForm() && !input.hasVideo ? 'same' : chosen;
  if (choice === 'same' && facts.hasVideo) {
    const container = videoContainerFor(facts.format);
    const { lossless, limits } = soundFor(facts, container);
    return {
      kind: 'video',
      format: container.extension,
      soundFormat: null,
      contentType: container.contentType,
      lossless,
      limits,
      leavesPicture: false,
      warnings: [],
    };
  }
  const codec = losslessCodecOf(facts);
  const id = choice === 'same' ? sameFormat(facts.format, codec) : choice;
  // What cannot be written stays lossless at least.
  const format = outputFormats[id ?? (codec === null ? 'm4a' : 'flac')];
  const warnings: Warning[] =
    id === null
      ? [
          {
            code: 'container_changed',
            message:
              codec === null
                ? `A ${facts.format} file cannot be written; the output is ${format.id}`
                : `Lossless sound is not written into a ${facts.format} file; the output is ${format.id}`,
          },
        ]
      : [];
  return {
    kind: 'audio',
    format: choice === 'same' && format.extension === 'm4a' && isBook(facts) ? 'm4b' : format.extension,
    soundFormat: format.id,
    contentType: format.contentType,
    lossless: format.lossless,
    limits: format,
    leavesPicture: choice !== 'same',
    warnings,
  };
}

/** A file name without its extension. */
export const stemOf = (name: string): string => basename(name, extname(name)) || 'output';

/** The output's file name: the input's with the output's extension. */
export const outputName = (inputName: string, format: string): string => `${stemOf(inputName)}.${format}`;

/** File names of several outputs: the inputs' own, numbered where two are the same. */
export function outputNames(inputNames: readonly string[], formats: readonly string[]): string[] {
  const taken = new Set<string>();
  return inputNames.map((inputName, index) => {
    const stem = stemOf(inputName);
    let name = `${stem}.${formats[index]}`;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${stem}-${count}.${formats[index]}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/**
 * A run's output for a plan, named after the input.
 * @param path where it was written
 * @param durationSeconds of its sound
 * @param readBack facts from reading the written file back, if it was read
 */
export const plannedFile = (
  plan: OutputPlan,
  path: string,
  inputName: string,
  durationSeconds: number,
  readBack?: MediaFacts,
): {
  readonly path: string;
  readonly filename: string;
  readonly contentType: string;
  readonly format: string;
  readonly durationSeconds: number;
  readonly readBack?: MediaFacts;
} => ({
  path,
  filename: outputName(inputName, plan.format),
  contentType: plan.contentType,
  format: plan.format,
  durationSeconds,
  ...(readBack ? { readBack } : {}),
});

export interface OutputOptions extends OnThreadsOption {
  readonly bitrateKbps?: number;
  /** Did the samples change? Then 16-bit output is dithered, and gains for players are dropped. Default false. */
  readonly processed?: boolean;
  /** Name of the file in the folder, without extension. Default "output". */
  readonly name?: string;
  /** What chapters and marks are from. Default: the whole input. */
  readonly sources?: readonly SourcePart[];
  /** Further files of which sound is in it. Default: none. */
  readonly besides?: readonly MediaFacts[];
  /** Length of the sound; need not be exact. Default: the input's. */
  readonly expectedSeconds?: number;
  /** May it be encoded again in a few places? Default: no. */
  readonly again?: EncodedAgain | undefined;
}

export interface EncodedAgain {
  /** An earlier output with this setting and the same options, and where its sound was another; null: none yet. */
  readonly since: { readonly path: string; readonly changed: readonly Stretch[] } | null;
}

/** Packets are kept beside the file. */
const keptBeside = (path: string): string => `${path}.packets`;

const packetsOf = (path: string, { since }: EncodedAgain): Again => ({
  keepIn: keptBeside(path),
  changes: since && { keptIn: keptBeside(since.path), changed: since.changed },
});

/** Of Opus, for each channel: below this a second loss is heard in speech, and pauses make a whole file's rate low. */
const leastOpusKbps = (channels: number): number => (channels === 1 ? 24 : 16 * channels);

/**
 * Bit rate that keeps a lossy input's quality when it is re-encoded: the input's own, within 16 to 320, but not below
 * the format's default, since the second loss adds to the first. Opus keeps its own rate below that too: at 28 kbit/s
 * it is a choice, and the file would more than double.
 */
function keptBitrate(input: MediaFacts, id: OutputFormatId): number | undefined {
  const facts = asWritten(input);
  const { defaultKbps } = outputFormats[id];
  const source = facts === input ? soundRateBps(input) : (facts.audio?.bitRateBps ?? null);
  if (!defaultKbps || source === null || losslessCodecOf(facts) || sameFormat(facts.format, null) !== id)
    return undefined;
  const channels = facts.audio?.channels ?? 2;
  const usual = channels === 1 ? defaultKbps.mono : defaultKbps.stereo;
  const kbps = Math.round(source / 1000);
  if (kbps > usual) return Math.min(320, kbps);
  return id === 'opus' ? Math.max(leastOpusKbps(channels), kbps) : undefined;
}

/**
 * By how much the encoder of a plan's file will change the level, dB, as far as that is known before.
 * @param channels of the sound that is written
 */
export function plannedLevelDb(facts: MediaFacts, plan: OutputPlan, channels: number): number {
  if (plan.soundFormat === null) return 0;
  const id = plan.soundFormat;
  const { defaultKbps } = outputFormats[id];
  const usual = channels === 1 ? defaultKbps?.mono : defaultKbps?.stereo;
  return encoderLevelDb(id, keptBitrate(facts, id) ?? usual ?? 0);
}

/** Opens `planOutput`'s file in a folder, as a sink for blocks of the given format. Tags and cover art are copied. */
export function openPlannedOutput(
  folder: string,
  facts: MediaFacts,
  plan: OutputPlan,
  input: AudioFormat,
  options: OutputOptions,
): { path: string; sink: ThreadedSink } {
  const path = join(folder, `${options.name ?? 'output'}.${plan.format}`);
  const { threads } = options;
  const expectedSeconds = options.expectedSeconds ?? facts.durationSeconds;
  if (plan.lossless && options.again?.since) throw new NoJointError('Sound without losses is never encoded in places');
  const again = options.again && !plan.lossless ? { again: packetsOf(path, options.again) } : {};
  const id = plan.soundFormat;
  if (id === null) {
    return {
      path,
      sink: openRemux(path, facts, input, {
        processed: options.processed ?? false,
        threads,
        expectedSeconds,
        besides: options.besides ?? [],
        ...again,
        ...(options.bitrateKbps === undefined ? {} : { bitrateKbps: options.bitrateKbps }),
      }),
    };
  }
  const sources = options.sources ?? [{ facts, kept: allKept }];
  const bitrateKbps = options.bitrateKbps ?? keptBitrate(facts, id);
  const bitDepth = bitDepthFor(asWritten(facts));
  // An unchanged 16-bit input must stay bit for bit; everything else is rounded with dither.
  const dither = bitDepth === '16' && ((options.processed ?? false) || (facts.audio?.bitsPerSample ?? 32) > 16);
  const travels = travelling(readTags(facts), { processed: options.processed ?? false });
  const isWhole = sources.every(({ kept }) => isAllKept(kept)) && sources.length === 1;
  const sink = openEncoder(path, input, {
    format: id,
    book: plan.format === 'm4b',
    bitDepth,
    dither,
    threads,
    expectedSeconds,
    tags: isWhole ? travels : withoutTimes(travels),
    sourceTags: travels,
    chapters: chaptersIn(sources),
    sources,
    besides: options.besides ?? [],
    leavesPicture: plan.leavesPicture,
    processed: options.processed ?? false,
    ...again,
    ...(facts.audio?.language ? { language: facts.audio.language } : {}),
    ...(bitrateKbps === undefined ? {} : { bitrateKbps }),
  });
  return { path, sink };
}
