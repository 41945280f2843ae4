// Built conversations, music and noise, and their levels as level_speakers meters them.
import { join } from 'node:path';
import type { SpeechLevels } from '../../../src/library/dsp/voicing/speech-levels.ts';
import { seeded } from '../../../test/fixtures/random.ts';
import { pieces } from '../../../test/fixtures/sounds/music.ts';
import {
  built,
  type Conversation,
  kinds,
  oneVoiceRecordings,
  seedOf,
  spreadsLu,
  talkingVoices,
  type Voice,
  withoutPauses,
} from '../../tools/level-talks.ts';
import { noises, rate, sample } from '../../quality/mixtures.ts';
import { otherNoises } from '../../quality/other-noises.ts';
import { samples } from '../store.ts';

/** @param each talks of one spread and kind */
export function talks(each: number): Conversation[] {
  const voices = talkingVoices(join(samples, 'speech'));
  return spreadsLu.flatMap((spreadLu) =>
    kinds.flatMap((kind) =>
      Array.from({ length: each }, (_, index) => built(voices, kind, spreadLu, seeded(seedOf(spreadLu, index)))),
    ),
  );
}

/** One voice each, as it is and without its pauses. */
export const lonely = (): Voice[] => oneVoiceRecordings(samples).flatMap(([, voice]) => [voice, withoutPauses(voice)]);

const seconds = 12;

/** What is no speech: pieces of music without a voice, and noises. */
export function soundsWithoutSpeech(): Voice[] {
  const music = Object.values(pieces).map((play) => play(seconds));
  const noise = [...Object.values(noises), ...Object.values(otherNoises)].map((make) => make(seconds * rate));
  return [...music, ...noise, sample('noise/noise_48k.wav')].map((plane) => ({ samples: plane, rate }));
}

/** As JSON keeps them. */
export interface KeptLevels extends Omit<SpeechLevels, 'energy' | 'peak' | 'steady' | 'ripple' | 'timbre'> {
  readonly energy: string;
  readonly steady: string;
  readonly ripple: string;
  readonly timbre: string;
  readonly timbreHopSeconds: number;
}

const text = (list: Float32Array | Int8Array): string =>
  Buffer.from(list.buffer, list.byteOffset, list.byteLength).toString('base64');
const floats = (kept: string): Float32Array => new Float32Array(new Uint8Array(Buffer.from(kept, 'base64')).buffer);

export const keep = ({ timbre, ...levels }: SpeechLevels): KeptLevels => ({
  hopSeconds: levels.hopSeconds,
  toneHopSeconds: levels.toneHopSeconds,
  frames: levels.frames,
  sampleRate: levels.sampleRate,
  energy: text(levels.energy),
  steady: text(levels.steady),
  ripple: text(levels.ripple),
  timbre: text(timbre!.values),
  timbreHopSeconds: timbre!.hopSeconds,
});

export const taken = ({ energy, steady, ripple, timbre, timbreHopSeconds, ...rest }: KeptLevels): SpeechLevels => ({
  ...rest,
  energy: floats(energy),
  peak: new Float32Array(0),
  steady: floats(steady),
  ripple: floats(ripple),
  timbre: { values: new Int8Array(Buffer.from(timbre, 'base64')), hopSeconds: timbreHopSeconds },
});
