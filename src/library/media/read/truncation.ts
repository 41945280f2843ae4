import { avGetAudioFrameDuration2, type Stream } from 'node-av/lib';
import type { Warning } from '../../core/progress/progress.ts';
import type { MediaFacts } from '../facts.ts';
import { type OpenedInput } from '../ffmpeg/ffmpeg.ts';
import { tagBytes } from '../tags/id3-frames.ts';
import { ticksToSeconds } from '../ffmpeg/ticks.ts';
import { type Bytes, isStatedSize, readWaveForm, waveTags, withBytes } from '../ffmpeg/wave-form.ts';

/** Length stated in a WAV header, seconds; null without one. Readers limit it to the file's size; this does not. */
function waveSeconds(bytes: Bytes, { codecpar }: Stream): number | null {
  const form = readWaveForm(bytes);
  if (form === null || !isStatedSize(form.dataBytes)) return null;
  // Of PCM, the bytes of a second are stated twice; some writers err in one of them.
  const isPlain = form.tag === waveTags.pcm || form.tag === waveTags.float;
  // Codecs of blocks (ADPCM, GSM) tell by a block's length; some writers err in the bytes of a second.
  const blockFrames = isPlain || form.blockAlign === 0 ? 0 : avGetAudioFrameDuration2(codecpar, form.blockAlign);
  if (blockFrames > 0) return (form.dataBytes / form.blockAlign) * (blockFrames / form.sampleRate);
  const bytesPerSecond = isPlain ? form.blockAlign * form.sampleRate : form.bytesPerSecond;
  return bytesPerSecond > 0 ? form.dataBytes / bytesPerSecond : null;
}

/**
 * Length stated in the "Xing" or "Info" table of the first MP3 frame, seconds; null without one. FFmpeg ignores it
 * where the file is clearly shorter, so it must be read here.
 */
function xingSeconds(bytes: Bytes, sampleRate: number): number | null {
  const frame = bytes(tagBytes(bytes(0, 10)), 64);
  if (frame.length < 64) return null;
  const at = Math.max(frame.indexOf('Xing', 0, 'latin1'), frame.indexOf('Info', 0, 'latin1'));
  if (at < 0 || at > 48 || (frame.readUInt32BE(at + 4) & 1) === 0) return null;
  return (frame.readUInt32BE(at + 8) * (sampleRate >= 32_000 ? 1152 : 576)) / sampleRate;
}

/** Containers that store their length; others estimate it from the bit rate. */
const exactLength = new Set([
  'flac',
  'ogg',
  'opus',
  'mp4',
  'm4a',
  'mov',
  '3gp',
  'mkv',
  'webm',
  'aiff',
  'caf',
  'wma',
  'wmv',
  'avi',
]);

/** Matroska keeps a stream's own length in a tag. */
function taggedSeconds({ metadata }: Stream): number | null {
  const tagged = /^(\d+):(\d{2}):(\d{2}(?:\.\d+)?)$/.exec(metadata?.get('DURATION') ?? '');
  return tagged && Number(tagged[1]) * 3600 + Number(tagged[2]) * 60 + Number(tagged[3]);
}

/** Length of a stream as the container states it, seconds; null where it only states that of the longest stream. */
export const statedSeconds = (stream: Stream): number | null =>
  ticksToSeconds(stream.duration, stream.timeBase) ?? taggedSeconds(stream);

/** These count a stream's length from the clock's zero, others from the stream's start. */
const countsFromClock = new Set(['mkv', 'webm', 'wma', 'wmv']);
/** These state the length of the longest stream as that of each. */
const statesLongest = new Set(['wma', 'wmv']);

/**
 * End of a stream as the container states it, seconds from the file's zero; null where it only states that of the
 * longest stream.
 * @param leadSeconds where the stream starts
 */
export function declaredSeconds(
  stream: Stream,
  { format, durationSeconds, hasVideo }: MediaFacts,
  leadSeconds: number,
): number | null {
  const stated = statesLongest.has(format) ? null : statedSeconds(stream);
  const end = stated ?? (hasVideo ? null : durationSeconds);
  if (end === null) return null;
  // The file's zero may be late on its clock.
  const startSeconds = ticksToSeconds(stream.startTime, stream.timeBase) ?? 0;
  if (countsFromClock.has(format)) return end - Math.max(0, startSeconds - leadSeconds);
  return stated === null ? end : end + leadSeconds;
}

/** These state when the sound ends on a clock that may have begun before it. */
const countsFromBegin = new Set(['ogg', 'opus', 'flac']);

/** Is all there of a file in RIFF chunks, one behind the other? */
function isWholeRiff(bytes: Bytes, sizeBytes: number): boolean {
  let at = 0;
  while (at + 8 <= sizeBytes) {
    const chunk = bytes(at, 8);
    const size = chunk.readUInt32LE(4);
    if (chunk.toString('latin1', 0, 4) !== 'RIFF' || size === 0) return at > 0;
    at += 8 + size + (size % 2);
  }
  return at <= sizeBytes + 1;
}

interface WhatWasRead {
  /** From the file's zero. */
  readonly seconds: number;
  /** Of them the silence before the sound. */
  readonly leadSeconds: number;
  /** Where the sound begins by its own clock. */
  readonly beginSeconds: number;
}

/**
 * Warns when clearly less sound was read than the file states: a truncated file ends without an error in most formats.
 */
export function shortfall(
  input: OpenedInput,
  facts: MediaFacts,
  stream: Stream,
  { seconds: gotSeconds, leadSeconds, beginSeconds }: WhatWasRead,
): Warning | null {
  let declared: number | null = null;
  let tolerance = 0.5;
  const begun = { ...input, path: facts.path };
  if (facts.format === 'wav') {
    declared = withBytes(begun, (bytes) => waveSeconds(bytes, stream));
    tolerance = 0.01;
  } else if (
    facts.format === 'avi' &&
    withBytes(begun, (bytes) => isWholeRiff(bytes, input.sizeBytes - input.fromByte))
  ) {
    // Its header counts pieces of sound, of which those before the begin, or in a gap, are empty.
    return null;
  } else if (exactLength.has(facts.format)) {
    declared = declaredSeconds(stream, facts, leadSeconds);
    // Recorded from the middle of a stream on, whose clock goes on: its begin is the file's zero.
    if (declared !== null && leadSeconds === 0 && countsFromBegin.has(facts.format)) declared -= beginSeconds;
  } else if (facts.format === 'mp3') {
    declared = withBytes(begun, (bytes) => xingSeconds(bytes, stream.codecpar.sampleRate));
  }
  if (declared === null || gotSeconds >= declared - tolerance - declared * 0.001) return null;
  return {
    code: 'truncated',
    message:
      `The file states ${declared.toFixed(2)} s of sound but ${gotSeconds.toFixed(2)} s could be read; it ` +
      'is truncated or damaged',
  };
}
