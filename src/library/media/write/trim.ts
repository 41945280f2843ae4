// Writes the first seconds of a file to a new file by copying packets.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { avGetCodecName, type FormatContext, Packet, type Stream } from 'node-av/lib';
import { AVDISCARD_ALL, AVMEDIA_TYPE_ATTACHMENT, AVMEDIA_TYPE_SUBTITLE } from 'node-av/constants';
import { isAbortError, throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { writeCopiedHeader } from './copied-header.ts';
import { openAudio } from '../read/decode.ts';
import { dolbyVisionOf } from './dolby-vision.ts';
import { openOutput } from './encode.ts';
import type { MediaFacts } from '../facts.ts';
import {
  chooseAudioStream,
  expectWritten,
  isAudioStream,
  isCoverStream,
  isVideoStream,
  openInput,
  type OpenedInput,
  zeroOf,
} from '../ffmpeg/ffmpeg.ts';
import { noTimestamp, ticksToSeconds } from '../ffmpeg/ticks.ts';
import { outputFormats, videoContainers } from '../formats.ts';
import { openPlannedOutput, planOutput } from './output.ts';
import { probe } from '../read/probe.ts';
import { changeWords } from './stream-words.ts';
import { addCopiedStream, type CopiedStream, isKeptData, writeCopied } from './copied-stream.ts';
import type { Tags } from '../tags/model.ts';
import { readTags } from './read-tags.ts';
import { coverStreams } from '../tags/held.ts';
import { travelling } from '../tags/rules.ts';

export interface Trimmed {
  /** The new file, or the source where it is short enough. */
  readonly path: string;
  /** Length of its sound by its packets; of its picture if there is no sound, or if the picture is longer. */
  readonly seconds: number;
  /** Was anything left out? */
  readonly cut: boolean;
}

/**
 * Muxers for further input containers. WavPack and TTA have packets of up to a second: those are re-encoded as FLAC.
 */
const otherMuxers: Readonly<Record<string, string>> = {
  amr: 'amr',
  ac3: 'ac3',
  eac3: 'eac3',
  dts: 'dts',
  au: 'au',
  caf: 'caf',
};
const muxerOf = (format: string): string | null =>
  otherMuxers[format] ??
  videoContainers[format]?.muxer ??
  Object.values(outputFormats).find(({ id }) => id === format)?.muxer ??
  null;

/** Muxers that take covers as streams; others have them with their tags. */
/** Containers of sound alone. */
const isSoundMuxer = (muxer: string): boolean =>
  !Object.values(videoContainers).some((container) => container.muxer === muxer);

/** Tags of a copy that differ from its source's. */
export interface ChangedTags {
  readonly tags: Tags;
  readonly hasNewPictures: boolean;
  /** What a text of a stream is to be. Default: as it is. */
  readonly words?: (text: string) => string;
}

/** A copy by packets. */
interface Copy {
  readonly seconds: number;
  readonly cut: boolean;
  /** Of tags that its container cannot hold. */
  readonly warnings: readonly Warning[];
}

const packetsPerTurn = 256;

interface Copied extends CopiedStream {
  /** Does it affect where the file ends? Subtitles may be silent for minutes. */
  readonly leads: boolean;
  /** Bytes of a frame of uncompressed sound, which can be cut anywhere; 0 for others. */
  readonly frameBytes: number;
  done: boolean;
  /** End of its packets so far. */
  endSeconds: number;
}

interface Attempt {
  readonly muxer: string;
  readonly keep: (stream: Stream, chosen: Stream | null) => boolean;
}

const travels = (stream: Stream): boolean =>
  isVideoStream(stream) ||
  isAudioStream(stream) ||
  [AVMEDIA_TYPE_SUBTITLE, AVMEDIA_TYPE_ATTACHMENT].includes(stream.codecpar.codecType);

/** Ways to write the copy, the most faithful first. */
export function attemptsFor(facts: MediaFacts): Attempt[] {
  const essential = (muxer: string): Attempt => ({
    muxer,
    keep: (stream, chosen) =>
      stream === chosen || isVideoStream(stream) || (isCoverStream(stream) && coverStreams.includes(muxer)),
  });
  const own = muxerOf(facts.format);
  const matroska = facts.hasVideo && own !== 'matroska' ? [essential('matroska')] : [];
  if (own === null) return matroska;
  if (isSoundMuxer(own)) return [essential(own), ...matroska];
  return [
    {
      muxer: own,
      keep: (stream) =>
        travels(stream) || (isCoverStream(stream) && coverStreams.includes(own)) || isKeptData(stream, own),
    },
    essential(own),
    ...matroska,
  ];
}

const extensionOf = (muxer: string, path: string, format: string): string =>
  muxer === 'matroska' && format !== 'mkv' && format !== 'webm' ? '.mkv' : extname(path) || `.${format}`;

/**
 * Copies the first `seconds` of a media file: sound exact to the packet (uncompressed sound to the frame), at least as
 * much as requested, with pictures, subtitles, cover art, tags and chapters. Where the container or its content cannot
 * be written, a sound file is re-encoded and a video goes into Matroska.
 * @param stem of the new file, without extension
 * @throws EarshotError as `probe`, and unsupported_format for a video that no container can hold; AbortError
 */
export async function trim(
  path: string,
  stem: string,
  seconds: number,
  options: { readonly signal: AbortSignal },
): Promise<Trimmed> {
  throwIfAborted(options.signal);
  let failure: unknown;
  const facts = probe(path);
  for (const attempt of attemptsFor(facts)) {
    const target = `${stem}${extensionOf(attempt.muxer, path, facts.format)}`;
    try {
      const copied = await copy(path, target, seconds, attempt, facts, options.signal);
      if (copied.cut) return { path: target, ...copied };
      rmSync(target, { force: true });
      return { path, ...copied };
    } catch (thrown) {
      rmSync(target, { force: true });
      if (isAbortError(thrown)) throw thrown;
      failure = thrown;
    }
  }
  if (facts.hasVideo)
    throw new EarshotError(
      'unsupported_format',
      `The first ${seconds} s cannot be extracted from a ${facts.format} video`,
      { cause: failure },
    );
  return encode(facts, stem, seconds, options.signal);
}

/**
 * Copies packets until `seconds` into a file of the attempt's container, with the chapters of `facts`.
 * @param changed what is in place of the file's own. Default: the file's own
 */
export async function copy(
  path: string,
  target: string,
  seconds: number,
  { muxer, keep }: Attempt,
  facts: MediaFacts,
  signal: AbortSignal,
  changed?: ChangedTags,
): Promise<Copy> {
  const input = openInput(path);
  let output: FormatContext | null = null;
  const packet = new Packet();
  packet.alloc();
  try {
    output = openOutput(muxer, target);
    const chosen = chooseAudioStream(input.streams);
    const streams = new Map<number, Copied>();
    for (const from of input.streams) {
      const isReplaced = changed?.hasNewPictures === true && isCoverStream(from);
      if (!isReplaced && keep(from, chosen))
        streams.set(from.index, copiedStream(from, output, muxer === muxerOf(facts.format), changed?.words));
      else from.discard = AVDISCARD_ALL;
    }
    const kept = [{ startSeconds: 0, endSeconds: seconds, atSeconds: 0 }];
    const vision = dolbyVisionOf(input.streams);
    const tags = changed?.tags ?? travelling(readTags(facts), { copied: true });
    const hasCovers = changed?.hasNewPictures !== true;
    const complete = writeCopiedHeader(output, muxer, tags, { sources: [{ facts, kept }], vision, hasCovers });
    const copied = await copyPackets(input, output, streams, packet, seconds, signal);
    expectWritten(output.writeTrailerSync(), 'Completing the file');
    output.closeOutputSync();
    output.freeContext();
    output = null;
    const warnings = complete(target);
    const measured = (chosen && streams.get(chosen.index)) ?? [...streams.values()].find(({ leads }) => leads);
    if (muxer === 'flac' && measured)
      setFlacLength(target, Math.round(measured.endSeconds * measured.from.codecpar.sampleRate));
    return { ...copied, warnings };
  } finally {
    if (output) {
      output.closeOutputSync();
      output.freeContext();
    }
    packet.free();
    input.close();
  }
}

function copiedStream(
  from: Stream,
  output: FormatContext,
  sameContainer: boolean,
  words?: (text: string) => string,
): Copied {
  const to = addCopiedStream(from, output, sameContainer);
  if (words) changeWords(to, words);
  const codec = avGetCodecName(from.codecpar.codecId) ?? '';
  const frameBytes =
    codec.startsWith('pcm_') && codec !== 'pcm_bluray' && codec !== 'pcm_dvd'
      ? from.codecpar.channels * Math.ceil(from.codecpar.bitsPerCodedSample / 8)
      : 0;
  return {
    from,
    to,
    leads: isAudioStream(from) || isVideoStream(from),
    frameBytes,
    lastDts: noTimestamp,
    done: false,
    endSeconds: 0,
  };
}

async function copyPackets(
  input: OpenedInput,
  output: FormatContext,
  streams: ReadonlyMap<number, Copied>,
  packet: Packet,
  seconds: number,
  signal: AbortSignal,
): Promise<{ seconds: number; cut: boolean }> {
  const fileStart = zeroOf(input.streams);
  const leading = [...streams.values()].filter(({ leads }) => leads);
  const main = leading.find(({ from }) => isAudioStream(from)) ?? leading[0];
  let cut = false;
  for (let count = 1; leading.some(({ done }) => !done) && input.read(packet) >= 0; count += 1) {
    const stream = streams.get(packet.streamIndex);
    if (seconds !== Number.POSITIVE_INFINITY && input.lostBefore() === 'known')
      throw new EarshotError('file_invalid', 'Frames of the sound are lost, which a copy of the others would not show');
    if (stream && !stream.done) {
      const base = stream.from.timeBase;
      const at = ticksToSeconds(packet.dts === noTimestamp ? packet.pts : packet.dts, base);
      const start = at === null ? null : at - fileStart;
      if (start !== null && start >= seconds) {
        stream.done = true;
        cut ||= stream.leads;
      } else {
        if (start !== null && stream.frameBytes > 0 && shorten(packet, stream, seconds - start))
          cut = stream.done = true;
        // A slide may last for minutes: it ends with the copy.
        if (start !== null && isVideoStream(stream.from)) endWith(packet, base, seconds - start);
        if (start !== null)
          stream.endSeconds = Math.max(stream.endSeconds, start + (ticksToSeconds(packet.duration, base) ?? 0));
        writeCopied(packet, stream, output, 'Copying a packet');
      }
    }
    packet.unref();
    if (count % packetsPerTurn === 0) {
      await turn();
      throwIfAborted(signal);
    }
  }
  const mainSeconds = main?.endSeconds ?? 0;
  const longest = Math.min(seconds, Math.max(...leading.map(({ endSeconds }) => endSeconds)));
  return { seconds: longest > mainSeconds + differenceSeconds ? longest : mainSeconds, cut };
}

/** Sound and picture usually end together; if they differ by more, the longer one counts. */
const differenceSeconds = 0.3;

/** A usual picture may extend over the end; a longer one is shortened. */
const overhangSeconds = 0.1;

function endWith(packet: Packet, base: { num: number; den: number }, seconds: number): void {
  if ((ticksToSeconds(packet.duration, base) ?? 0) > seconds + overhangSeconds)
    packet.duration = BigInt(Math.max(1, Math.round((seconds * base.den) / base.num)));
}

/** Cuts a packet of uncompressed sound at a frame. Returns whether anything was left out. */
function shorten(packet: Packet, { from, frameBytes }: Copied, seconds: number): boolean {
  const frames = Math.max(1, Math.round(seconds * from.codecpar.sampleRate));
  if (frames * frameBytes >= packet.size) return false;
  packet.data = Buffer.from((packet.data as Buffer).subarray(0, frames * frameBytes));
  packet.duration = BigInt(Math.round((frames / from.codecpar.sampleRate) * (from.timeBase.den / from.timeBase.num)));
  return true;
}

/**
 * FFmpeg copies FLAC's STREAMINFO unchanged: this corrects its total of frames (36 bits at byte 21) and clears its MD5,
 * which means unknown.
 */
function setFlacLength(path: string, frames: number): void {
  const handle = openSync(path, 'r+');
  try {
    const total = Buffer.alloc(4);
    total.writeUInt32BE(frames % 2 ** 32);
    writeSync(handle, total, 0, 4, 22);
    writeSync(handle, Buffer.alloc(16), 0, 16, 26);
  } finally {
    closeSync(handle);
  }
}

async function encode(facts: MediaFacts, stem: string, seconds: number, signal: AbortSignal): Promise<Trimmed> {
  const source = openAudio(facts, { to: seconds });
  try {
    const { path: target, sink } = openPlannedOutput(dirname(stem), facts, planOutput(facts, 'same'), source.format, {
      name: basename(stem),
      threads: null,
    });
    try {
      let frames = 0;
      for (let block = source.next(); block; block = source.next()) {
        sink.write(block);
        frames += block.frames;
        await turn();
        throwIfAborted(signal);
      }
      await sink.finish();
      const written = frames / source.format.sampleRate;
      // A file that ends before the window is used unchanged.
      if (written >= seconds - 0.5 / source.format.sampleRate) return { path: target, seconds: written, cut: true };
      rmSync(target, { force: true });
      return { path: facts.path, seconds: written, cut: false };
    } finally {
      sink.close();
    }
  } finally {
    source.close();
  }
}
