// How long a recording is where sound and picture are not equally long: as long as the longer of them.
import type { MediaFacts } from '../facts.ts';
import { openAudio, type AudioSource, type DecodeOptions } from './decode.ts';
import { readableLength } from './readable-length.ts';

/** A packet's clock and a header that differ by less say the same; the header then knows of the encoder's padding. */
const agreeSeconds = 0.3;
/** Sound and picture of a recording seldom end on the same moment. */
const usualDifferenceSeconds = 0.05;

export interface RecordingLength {
  /**
   * What is quoted, limited and charged: the length that can really be read, whatever the header says. Null when
   * nothing tells.
   */
  readonly seconds: number | null;
  /** Where the picture ends, seconds from the first sample of sound; 0 without a picture or without sound. */
  readonly pictureEndSeconds: number;
}

/**
 * Reads all packets of a file without decoding them.
 * @throws EarshotError as `probe`; AbortError
 */
export async function measureRecording(
  path: string,
  { durationSeconds: declared }: Pick<MediaFacts, 'durationSeconds'>,
  signal?: AbortSignal,
): Promise<RecordingLength> {
  const readable = await readableLength(path, signal);
  if (readable === null) return { seconds: declared, pictureEndSeconds: 0 };
  const agree = declared !== null && Math.abs(readable.seconds - declared) < agreeSeconds;
  return { seconds: agree ? declared : readable.seconds, pictureEndSeconds: readable.pictureEndSeconds ?? 0 };
}

/** What a tool that keeps pictures must know of a file; without a picture nothing is read. */
export const measurePicture = async (facts: MediaFacts, signal: AbortSignal): Promise<RecordingLength> =>
  facts.hasVideo ? await measureRecording(facts.path, facts, signal) : { seconds: null, pictureEndSeconds: 0 };

/**
 * Length of what was processed: of the sound, or of the picture that went into the output with it.
 * @param plan of the output
 */
export async function processedLength(
  { kind }: { readonly kind: 'audio' | 'video' },
  facts: MediaFacts,
  soundSeconds: number,
  signal: AbortSignal,
): Promise<number> {
  if (kind === 'audio') return soundSeconds;
  return Math.max(soundSeconds, (await measurePicture(facts, signal)).seconds ?? 0);
}

/** Frames of a recording whose sound has `heardFrames`: as many as `openRecording` gives. */
export function recordingFrames(heardFrames: number, sampleRate: number, pictureEndSeconds: number): number {
  const end = Math.round(pictureEndSeconds * sampleRate);
  return heardFrames < end - usualDifferenceSeconds * sampleRate ? end : heardFrames;
}

/**
 * Opens a file's sound as `openAudio`, with silence behind it as long as a picture goes on: what is cut or joined by it
 * takes the picture along to its end.
 * @param pictureEndSeconds see `measurePicture`; the sound may be a little shorter than that without being filled up
 */
export function openRecording(path: string, pictureEndSeconds: number, options: DecodeOptions = {}): AudioSource {
  const source = openAudio(path, options);
  const { sampleRate, channels } = source.format;
  const fullFrames = (heard: number): number => recordingFrames(heard, sampleRate, pictureEndSeconds);
  let frames = 0;
  let end = 0;
  let isFilling = false;
  let silence: readonly Float32Array[] = [];
  const expected = source.expectedFrames;
  return {
    format: source.format,
    facts: source.facts,
    expectedFrames: expected === null ? null : fullFrames(expected),
    get warnings() {
      return source.warnings;
    },
    next() {
      if (!isFilling) {
        const block = source.next();
        if (block !== null) {
          frames += block.frames;
          return block;
        }
        isFilling = true;
        end = fullFrames(frames);
        silence = Array.from({ length: channels }, () => new Float32Array(sampleRate));
      }
      const count = Math.min(sampleRate, end - frames);
      if (count <= 0) return null;
      frames += count;
      // Whoever got the last piece may have written into it.
      for (const plane of silence) plane.fill(0);
      return { planes: silence.map((plane) => plane.subarray(0, count)), frames: count };
    },
    close: () => source.close(),
  };
}
