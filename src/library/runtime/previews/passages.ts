// Passages of recordings: copied, measured, and one after the other for comparing by ear.
import { soundFormat } from '../../media/read/probe.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { amplify } from '../../dsp/loudness/limit.ts';
import { meterLoudness, type LoudnessReading } from '../../dsp/loudness/loudness-meter.ts';
import { openAudio } from '../../media/read/decode.ts';
import { discard, drive } from '../../media/read/drive.ts';
import { openEncoder } from '../../media/write/encode.ts';
import type { BitDepth } from '../../media/formats.ts';
import type { Emit } from '../../pcm/stage.ts';

/** A stretch of a file, seconds. */
export interface Passage {
  readonly facts: MediaFacts;
  readonly from: number;
  readonly to: number;
}

interface Reading {
  readonly signal: AbortSignal;
  /** Default: not told. */
  readonly onProgress?: (fraction: number) => void;
}

interface CopyOptions extends Reading {
  readonly format: 'wav' | 'flac';
  readonly bitDepth: BitDepth;
  /** Default 0. */
  readonly gainDb?: number;
}

/** Reads a passage through a gain. @returns its length, seconds */
async function play(
  { facts, from, to }: Passage,
  emit: Emit,
  { signal, onProgress = () => undefined, gainDb = 0 }: Reading & { readonly gainDb?: number },
  as: { readonly rate?: number; readonly channels?: number } = {},
): Promise<number> {
  const source = openAudio(facts, { from, to, ...as });
  try {
    const frames = await drive(source, gainDb === 0 ? [] : [amplify(gainDb)], emit, { signal, onProgress });
    return frames / source.format.sampleRate;
  } finally {
    source.close();
  }
}

/** Writes the sound of a passage, exact to the sample. @returns its length, seconds */
export async function copyPassage(passage: Passage, out: string, options: CopyOptions): Promise<number> {
  const sink = openEncoder(out, soundFormat(passage.facts), { format: options.format, bitDepth: options.bitDepth });
  try {
    const seconds = await play(passage, (block) => sink.write(block), options);
    sink.finish();
    return seconds;
  } finally {
    sink.close();
  }
}

export async function measurePassage(passage: Passage, reading: Reading): Promise<LoudnessReading> {
  const source = openAudio(passage.facts, { from: passage.from, to: passage.to });
  const loudness = meterLoudness();
  try {
    await drive(source, [loudness], discard, { onProgress: () => undefined, ...reading });
    return loudness.result();
  } finally {
    source.close();
  }
}

/** Between two passages, and at both ends of each. */
const gapSeconds = 0.25;
const fadeSeconds = 0.01;

/** Writes passages one after the other, in the format of the first, with a short silence between them. */
export async function concatenate(passages: readonly Passage[], out: string, options: CopyOptions): Promise<void> {
  const [first] = passages;
  if (first === undefined) throw new TypeError('Expected at least one passage');
  const format = soundFormat(first.facts);
  const { sampleRate, channels } = format;
  const sink = openEncoder(out, format, { format: options.format, bitDepth: options.bitDepth });
  const silence = Math.round(gapSeconds * sampleRate);
  const fade = Math.round(fadeSeconds * sampleRate);
  try {
    for (const [index, passage] of passages.entries()) {
      const frames = Math.round((passage.to - passage.from) * sampleRate);
      let at = 0;
      await play(
        passage,
        (block) => {
          const planes = block.planes.map((plane) =>
            plane.subarray(0, block.frames).map((sample, i) => {
              const toEdge = Math.max(0, Math.min(at + i, frames - 1 - at - i));
              return toEdge < fade ? (sample * toEdge) / fade : sample;
            }),
          );
          sink.write({ planes, frames: block.frames });
          at += block.frames;
        },
        options,
        { rate: sampleRate, channels },
      );
      if (index < passages.length - 1)
        sink.write({ planes: Array.from({ length: channels }, () => new Float32Array(silence)), frames: silence });
    }
    sink.finish();
  } finally {
    sink.close();
  }
}
