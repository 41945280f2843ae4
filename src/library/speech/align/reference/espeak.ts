// eSpeak NG, a formant synthesiser for about a hundred languages: recordings are compared with its sound. It runs as
// JavaScript in this thread, at about 500 times real time when warm.
import type { EspeakEvent } from '@echogarden/espeak-ng-emscripten';
import { optionalPackage } from '../../../core/start/optional-package.ts';
import { importCompanion } from '../../../models/companions.ts';

/** eSpeak NG's sound, with the times of its events. */
export interface Utterance {
  /** Mono, full scale 1. */
  readonly samples: Float32Array<ArrayBuffer>;
  readonly sampleRate: number;
  readonly events: readonly EspeakEvent[];
}

export interface VoiceSettings {
  /** Words a minute. Default 175. */
  readonly wordsPerMinute?: number;
  /** 0 to 99. Default 50. */
  readonly pitch?: number;
}

export interface Espeak {
  /** By language code ("en-us", "de"), eSpeak NG's voice names. */
  readonly voices: ReadonlyMap<string, string>;
  /** Deterministic: earlier calls have no influence. */
  speak(voice: string, text: string, settings?: VoiceSettings): Utterance;
  /** Phonemes in IPA, a line for each clause. */
  ipa(voice: string, text: string): string;
}

const defaultWordsPerMinute = 175;
const defaultPitch = 50;

/** In one call of `speak`: more than any sentence has. */
export const mostCharacters = 20_000;

let opened: Promise<Espeak> | undefined;

/** One per thread: 40 MB, and a second of work until it is warm. */
export const openEspeak = (): Promise<Espeak> => (opened ??= open());

async function open(): Promise<Espeak> {
  const { default: createEspeak } = (await optionalPackage(
    'earshot-models',
    'Alignment needs eSpeak NG, which comes with',
    () => importCompanion('@echogarden/espeak-ng-emscripten'),
  )) as typeof import('@echogarden/espeak-ng-emscripten');
  // Its warnings about unusual letters are discarded.
  const module = await createEspeak({ print: () => {}, printErr: () => {} });
  const worker = new module.eSpeakNGWorker();
  const voices = new Map(
    worker
      .list_voices()
      .flatMap(({ identifier, languages }) => languages.map(({ name, priority }) => ({ name, identifier, priority })))
      .sort((a, b) => b.priority - a.priority)
      .map(({ name, identifier }) => [name, identifier]),
  );
  const { samplerate: sampleRate } = worker;
  // Its oscillators and its clock continue from call to call, so that a word's length depends on earlier words by some
  // samples. Every call therefore starts with the memory of a new instance. The binding's text buffer is in that
  // memory, too, and grows only on the call after the one for which it was too small.
  for (let call = 0; call < 3; call += 1) worker.set_voice(' '.repeat(4 * mostCharacters));
  const pristine = module.HEAPU8.slice(0, usedBytes(module.HEAPU8));
  const prepare = (voice: string, text: string, { wordsPerMinute, pitch }: VoiceSettings): void => {
    if (text.length > mostCharacters) throw new RangeError(`Expected at most ${mostCharacters} characters at a time`);
    module.HEAPU8.set(pristine);
    module.HEAPU8.fill(0, pristine.length);
    if (worker.set_voice(voice) !== 0) throw new Error(`eSpeak NG has no voice ${voice}`);
    worker.set_rate(wordsPerMinute ?? defaultWordsPerMinute);
    worker.set_pitch(pitch ?? defaultPitch);
  };
  return {
    voices,
    speak(voice, text, settings = {}) {
      prepare(voice, text, settings);
      const parts: Int16Array[] = [];
      const events: EspeakEvent[] = [];
      worker.synthesize(text, (samples, happened) => {
        if (samples) parts.push(new Int16Array(samples.slice(0)));
        if (happened) events.push(...happened);
      });
      return { samples: joined(parts), sampleRate, events };
    },
    ipa(voice, text) {
      prepare(voice, text, {});
      return worker.synthesize_ipa(text).ipa;
    },
  };
}

function usedBytes(heap: Uint8Array): number {
  let end = heap.length;
  while (end > 0 && heap[end - 1] === 0) end -= 1;
  return end;
}

function joined(parts: readonly Int16Array[]): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) for (const sample of part) samples[at++] = sample / 32_768;
  return samples;
}
