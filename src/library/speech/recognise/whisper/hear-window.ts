// A window through the encoder.
import { freeMemory } from '../../../core/free-buffer.ts';
import { AbortError } from '../../../core/abort.ts';
import { createLogMel, type LogMel } from '../../../kernels/log-mel.ts';
import type { SpeechSound } from '../../speech-sound.ts';
import type { EncodedSound } from './decoder.ts';
import { positionsPerSecond } from './place-reading.ts';
import type { WhisperNetwork } from './network.ts';
import { soundOf } from '../windows/window-sound.ts';
import { type ListeningWindow, windowSeconds } from '../windows/windows.ts';

interface Ear {
  readonly network: WhisperNetwork;
  readonly sound: SpeechSound;
  cancelled(): boolean;
}

/** Positions of silence after the sound that are encoded: the networks learned from windows that end in silence. */
const encodedSilence = 200;
/** Of shorter sound so many positions are encoded: with less, more words of 1 to 3 s of speech are wrong. */
const leastEncoded = 500;
/** Of so much sound. */
export const positionsOf = (seconds: number): number =>
  Math.max(1, Math.min(1500, Math.ceil(seconds * positionsPerSecond)));

let mel: LogMel | undefined;

export async function hearWindow({ network, sound, cancelled }: Ear, window: ListeningWindow): Promise<EncodedSound> {
  if (cancelled()) throw new AbortError();
  const { bands, frames } = network.layout;
  if (mel?.bands !== bands) mel = createLogMel(bands);
  const samples = soundOf(sound, window);
  const needed = 2 * Math.max(leastEncoded, positionsOf(windowSeconds(window)) + encodedSilence);
  const spectrum = mel.process(samples, network.encodesParts ? Math.min(needed, frames) : frames);
  freeMemory(samples);
  const heard = await network.encode(spectrum);
  freeMemory(spectrum);
  return heard;
}
