// Writes a recording without what is said in some stretches.
import { join } from 'node:path';
import type { TimeRange } from '../../core/time-range.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { bleep, type Filling } from '../../edit/filling.ts';
import { measureRoom, RoomNoise, type RoomColour } from '../../edit/room-noise.ts';
import { soften, softFadeSeconds, type SoftRange } from '../../edit/soften.ts';
import { softenInPlace } from '../../edit/soften-in-place.ts';
import { writeEdited } from '../../edit/write.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { countFrames } from '../../media/read/length.ts';
import { measurePicture } from '../../media/read/recording-length.ts';
import { type OutputPlan, planOutput } from '../../media/write/output.ts';
import { levelIn, quietStretches } from '../../speech/redact/quiet-stretches.ts';
import { joinedStretches } from '../../speech/redact/places.ts';
import type { SpeechSound } from '../../speech/speech-sound.ts';
import type { RedactAudioContext } from './options.ts';

/** A recording that is written, perhaps several times. */
export interface Rendering {
  readonly plan: OutputPlan;
  readonly frames: number;
  readonly sampleRate: number;
  readonly durationSeconds: number;
  /** @param name of the file in the work folder, without extension */
  write(name: string, taken: readonly TimeRange[], onProgress: (fraction: number) => void): Promise<Written>;
}

export interface Written {
  readonly path: string;
  readonly durationSeconds: number;
  readonly warnings: readonly Warning[];
  /** What differs, with the fades. */
  readonly changed: readonly TimeRange[];
  /** Facts of the file; absent: it was not read back. */
  readonly readBack?: MediaFacts;
  /** Number of cues of subtitles that are left out. */
  readonly cuesDropped: number;
}

/** Does a cue of embedded subtitles stay? */
export type KeepsCue = (range: TimeRange, text: string) => boolean;

/** Stretches that are closer than this are one: a fade up and down between them would be a click of sound. */
const leastGapSeconds = 0.05;

/**
 * @param sound of the recording, to set levels by
 * @param measuring starts the pass that measures
 */
export async function openRendering(
  context: RedactAudioContext,
  facts: MediaFacts,
  sound: SpeechSound,
  spoken: readonly TimeRange[],
  keepsCue: (taken: readonly TimeRange[]) => KeepsCue,
  onProgress: (fraction: number) => void,
): Promise<Rendering> {
  const { signal, options, workDir } = context;
  const { pictureEndSeconds } = await measurePicture(facts, signal);
  const hasNoise = options.mode === 'noise';
  const share = hasNoise ? 0.5 : 1;
  const length = await countFrames(facts, {
    signal,
    pictureEndSeconds,
    onProgress: (fraction) => onProgress(share * fraction),
  });
  const measured = length.facts;
  const sampleRate = measured.audio?.sampleRate ?? 0;
  const room = hasNoise
    ? await measureRoom(measured, quietStretches(sound), {
        signal,
        onProgress: (fraction) => onProgress(share + (1 - share) * fraction),
      })
    : null;
  const speechLevel = options.mode === 'bleep' ? levelIn(sound, spoken) : 0;
  const filling = (): Filling | null => fillingOf(options.mode, sampleRate, speechLevel, room);
  const plan = planOutput(measured, 'same');
  /** null: the recording is decoded and encoded. */
  async function softenedCopy(ranges: readonly SoftRange[], name: string) {
    if (ranges.length === 0) return null;
    const path = join(workDir, `${name}.${plan.format}`);
    const fadeFrames = fadeFramesOf(sampleRate);
    const warnings = await softenInPlace(measured, plan, path, { ranges, fadeFrames, filling: filling(), signal });
    return warnings === null ? null : { path, warnings, durationSeconds: length.frames / sampleRate };
  }
  return {
    plan,
    frames: length.frames,
    sampleRate,
    durationSeconds: length.frames / sampleRate,
    async write(name, taken, onWritten) {
      const ranges = rangesOf(taken, sampleRate);
      const { frames } = length;
      const edits = { sampleRate, sourceFrames: frames, keeps: [{ start: 0, end: frames }], crossfadeFrames: 0 };
      const keeps = keepsCue(taken);
      let cuesDropped = 0;
      const softened = await softenedCopy(ranges, name);
      const written =
        softened ??
        (await writeEdited(measured, plan, edits, workDir, {
          signal,
          threads: context,
          name,
          onProgress: onWritten,
          keepsCue(range, text) {
            const stays = keeps(range, text);
            if (!stays) cuesDropped += 1;
            return stays;
          },
          stages: ranges.length === 0 ? [] : [soften(ranges, fadeFramesOf(sampleRate), filling())],
        }));
      const changed = ranges.map(({ start, end }) => ({
        startSeconds: Math.max(0, start) / sampleRate,
        endSeconds: Math.min(frames, end) / sampleRate,
      }));
      return { ...written, changed, cuesDropped };
    },
  };
}

const fadeFramesOf = (sampleRate: number): number => Math.round(softFadeSeconds * sampleRate);

/** Frames that are silent, with a fade around each; those at the ends of the recording fade outside of it. */
function rangesOf(taken: readonly TimeRange[], sampleRate: number): SoftRange[] {
  const fade = fadeFramesOf(sampleRate);
  return joinedStretches(taken, 2 * softFadeSeconds + leastGapSeconds).map(({ startSeconds, endSeconds }) => ({
    start: Math.floor(startSeconds * sampleRate) - fade,
    end: Math.ceil(endSeconds * sampleRate) + fade,
    gain: 0,
  }));
}

/** A tone is as loud as speech where it is this far below: 1 kHz is where ears hear best. */
const bleepBelowSpeech = 10 ** (-6 / 20);
/** Where nothing is said: -26 dBFS. */
const usualLevel = 0.05;

function fillingOf(
  mode: RedactAudioContext['options']['mode'],
  sampleRate: number,
  speechLevel: number,
  room: RoomColour | null,
): Filling | null {
  if (mode === 'bleep') return bleep(sampleRate, bleepBelowSpeech * (speechLevel > 0 ? speechLevel : usualLevel));
  return room === null ? null : new RoomNoise(room);
}
