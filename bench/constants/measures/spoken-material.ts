// Recordings of speech whose words are known, in several voices and noises, and what the recogniser hears in them.
import { join } from 'node:path';
import { openSpeech, speechRate, type SpeechSound } from '../../../src/library/speech/speech-sound.ts';
import type { Transcript, TranscriptWord } from '../../../src/library/contract/transcript.ts';
import { transcribe } from '../../../src/library/speech/transcribe/transcribe.ts';
import { runHere } from '../../../src/library/dsp/denoise/suppressor/pieces.ts';
import { seeded } from '../../../test/fixtures/random.ts';
import { readVoice } from '../../../test/fixtures/sounds/conversations.ts';
import { withNoise } from '../../../test/fixtures/spoken-sounds.ts';
import { textGridWords } from '../../../test/fixtures/text-grid.ts';
import type { CutPiece } from '../../../test/fixtures/sounds/cut-measures.ts';
import { resampled } from '../../quality/voice-cases.ts';
import { acousticFillers } from '../../speech/known-fillers.ts';
import { samples, stored, storedSound } from '../store.ts';

export const { signal } = new AbortController();

export interface KnownRecording {
  readonly name: string;
  readonly sound: SpeechSound;
  /** As the phonetician marked them, without the fillers. */
  readonly words: readonly TranscriptWord[];
  readonly fillers: readonly CutPiece[];
}

/** A voice that is played at another speed is another voice (Ko et al. 2015). */
const speeds = [0.88, 1, 1.13];
/** Decibels under the voice. */
const noises = [null, 20, 10];

/** The spontaneous recording with fillers, at three speeds and in three noises. */
export async function acousticRecordings(): Promise<KnownRecording[]> {
  const grid = textGridWords(join(samples, 'fillers/acoustic_corpus.TextGrid')).filter(({ text }) => text !== 'um');
  const recordings: KnownRecording[] = [];
  for (const speed of speeds)
    for (const noise of noises) {
      const name = `acoustic-${speed}-${noise ?? 'clean'}`;
      const path = await storedSound(`sounds/${name}`, () => {
        const voice = readVoice(join(samples, 'fillers/acoustic_corpus.wav'));
        const played = speed === 1 ? voice : resampled(voice, speechRate, Math.round(speechRate / speed));
        return noise === null ? played : withNoise(played, noise, seeded(100 * speed + noise));
      });
      const moved = <Place extends CutPiece>(places: readonly Place[]): Place[] =>
        places.map((place) => ({
          ...place,
          startSeconds: place.startSeconds / speed,
          endSeconds: place.endSeconds / speed,
        }));
      recordings.push({ name, sound: openSpeech(path), words: moved(grid), fillers: moved(acousticFillers) });
    }
  return recordings;
}

/** Recordings without hesitations and repeated words, as they are and in noise. */
export async function fluentRecordings(): Promise<Pick<KnownRecording, 'name' | 'sound'>[]> {
  const recordings: Pick<KnownRecording, 'name' | 'sound'>[] = [];
  for (const file of ['jfk.wav', 'austen-0870.wav', 'austen-0880.wav', 'austen-0890.wav', 'sonnet001.mp3'])
    for (const noise of [null, 10]) {
      const name = `${file.replace(/\..*/u, '')}-${noise ?? 'clean'}`;
      const path = await storedSound(`sounds/${name}`, () => {
        const voice = readVoice(join(samples, 'speech', file));
        return noise === null ? voice : withNoise(voice, noise, seeded(noise));
      });
      recordings.push({ name, sound: openSpeech(path) });
    }
  return recordings;
}

/** What the house's recogniser hears, word for word. */
export const heardIn = ({ name, sound }: Pick<KnownRecording, 'name' | 'sound'>): Promise<Transcript> =>
  stored(`transcripts/${name}`, async () => {
    const options = { verbatim: true, speakerLabels: false, modelsDir: undefined, pass: () => () => undefined };
    return (await transcribe(sound, { ...options, fanOut: runHere(signal), signal })).transcript;
  });
