// The length of a recording whose sound and picture differ in length: that of the longer one.
import type { MediaFacts } from '../facts.ts';
import { openAudio, type AudioSource, type DecodeOptions } from './decode.ts';
import { readableLength } from './readable-length.ts';

/** A packet's clock and a header agree within this; the header then includes the encoder's padding. */
const agreeSeconds = 0.3;
/** Sound and picture of a recording seldom end at exactly the same time. */
const usualDifferenceSeconds = 0.05;

export interface RecordingLength {
  /** The basis for quotes, limits and charges: the length that can really be read. null when unknown. */
  readonly seconds: number | null;
  /** End of the picture, seconds from the file's zero; 0 without a picture or without sound. */
  readonly pictureEndSeconds: number;
}

/**
 * Reads all packets of a file without decoding them.
 * @throws EarshotError as `probe`; AbortError
 */
export async function measureRecording(
  { path, durationSeconds: declared }: Pick<MediaFacts, 'path' | 'durationSeconds'>,
  signal?: AbortSignal,
): Promise<RecordingLength> {
  const readable = await readableLength(path, signal);
  if (readable === null) return { seconds: declared, pictureEndSeconds: 0 };
  const agree = declared !== null && Math.abs(readable.seconds - declared) < agreeSeconds;
  return { seconds: agree ? declared : readable.seconds, pictureEndSeconds: readable.pictureEndSeconds ?? 0 };
}

/** The length for a tool that keeps pictures; without a picture nothing is read. */
export const measurePicture = async (facts: MediaFacts, signal: AbortSignal): Promise<RecordingLength> =>
  facts.hasVideo ? await measureRecording(facts, signal) : { seconds: null, pictureEndSeconds: 0 };

/**
 * Length of what was processed: of the sound, or of the picture in the output.
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

/** Frames of a recording with `heardFrames` of sound, as `openRecording` gives them. */
export function recordingFrames(heardFrames: number, sampleRate: number, pictureEndSeconds: number): number {
  const end = Math.round(pictureEndSeconds * sampleRate);
  return heardFrames < end - usualDifferenceSeconds * sampleRate ? end : heardFrames;
}

/**
 * Opens a file's sound as `openAudio`, followed by silence as long as a picture continues, so that edits by its length
 * keep the picture to its end.
 * @param pictureEndSeconds see `measurePicture`; sound that is only a little shorter is not extended
 */
export function openRecording(facts: MediaFacts, pictureEndSeconds: number, options: DecodeOptions = {}): AudioSource {
  const source = openAudio(facts, options);
  const { sampleRate, channels } = source.format;
  const fullFrames = (heard: number): number => recordingFrames(heard, sampleRate, pictureEndSeconds);
  let frames = 0;
  let end = 0;
  let isFilling = false;
  let silence: readonly Float32Array[] = [];
  const expected = source.expectedFrames;
  return {
    format: source.format,
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
      // The receiver of the last block may have written into it.
      for (const plane of silence) plane.fill(0);
      return { planes: silence.map((plane) => plane.subarray(0, count)), frames: count };
    },
    close: () => source.close(),
  };
}
