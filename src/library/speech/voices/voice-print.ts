// Makes a voice print of a recording of one person.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { directionText, type VoicePrint } from '../../contract/voice-print.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { TimeRange } from '../../core/time-range.ts';
import { searchFolders } from '../../models/folders.ts';
import { findSpeakers } from '../speakers/find-speakers.ts';
import type { ListeningOptions } from '../speakers/listening.ts';
import { readSpeakerNetworks } from '../speakers/networks.ts';
import { openSpeech, type SpeechSound, speechRate } from '../speech-sound.ts';
import { cosine, meanDirection } from './directions.ts';
import { directionsOf, type HeardVoice, heardVoices } from './heard-voices.ts';
import { sameVoice } from './known-voices.ts';
import { throughTelephone } from './telephone.ts';

/** Speech that a print needs at least, seconds. */
const leastPrintSeconds = 5;
/** Of a longer recording slices are taken, evenly spread: so many seconds in all, of so many each. */
const heardSeconds = 180;
const sliceSeconds = 30;
/** A second voice with more than this share of the speech is no interjection. */
const strangeShare = 0.2;

export interface PrintOptions extends ListeningOptions {
  /** Where the person speaks; default: the whole recording. */
  readonly ranges?: readonly TimeRange[] | undefined;
  /** Default 5. */
  readonly leastSeconds?: number | undefined;
  /** See `searchFolders`. */
  readonly modelsDir: string | undefined;
  /** An existing folder for the sound that is listened to. */
  readonly workDir: string;
}

/**
 * Listens to one person and makes a print: the mean of the directions (CAM++: Wang et al. 2023) of pieces of about
 * 3 s, weighted by their seconds, of up to a minute of speech; and the same through a telephone.
 * @throws EarshotError ranges_outside; bad_request for less than 5 s of speech, and where several people speak
 *   (details.reason: too_little_speech, several_voices); tool_unavailable; AbortError
 */
export async function makeVoicePrint(sound: SpeechSound, options: PrintOptions): Promise<VoicePrint> {
  const networks = await readSpeakerNetworks(searchFolders(options.modelsDir));
  const samples = excerpt(sound, options.ranges);
  const part = (from: number, share: number): ListeningOptions => ({
    ...options,
    onProgress: (fraction) => options.onProgress(from + share * fraction),
  });
  const clear = written(samples, join(options.workDir, 'clear'));
  const onTelephone = written(throughTelephone(samples), join(options.workDir, 'telephone'));
  try {
    const turns = await findSpeakers(clear, { ...part(0, 0.7), modelsDir: options.modelsDir });
    const pieces = piecesOfOne(
      await heardVoices(clear, turns, networks, part(0.7, 0.1)),
      options.leastSeconds ?? leastPrintSeconds,
    );
    const plain = await directionsOf(clear, pieces, networks, part(0.8, 0.1));
    const telephone = await directionsOf(onTelephone, pieces, networks, part(0.9, 0.1));
    return {
      format: 'earshot-voice-print',
      version: 1,
      model: networks.embeddingKey,
      seconds: Math.round(10 * plain.seconds.reduce((sum, seconds) => sum + seconds, 0)) / 10,
      recordings: 1,
      plain: directionText(meanDirection(plain.values, plain.seconds) as Float32Array),
      telephone: directionText(meanDirection(telephone.values, telephone.seconds) as Float32Array),
    };
  } finally {
    clear.close();
    onTelephone.close();
  }
}

/** The sound that is listened to. */
function excerpt(sound: SpeechSound, ranges: readonly TimeRange[] | undefined): Float32Array {
  for (const { startSeconds, endSeconds } of ranges ?? [])
    if (startSeconds >= sound.durationSeconds || endSeconds <= startSeconds)
      throw new EarshotError(
        'ranges_outside',
        `Expected ranges within the ${sound.durationSeconds.toFixed(1)} s of the recording`,
      );
  const given = ranges ?? [{ startSeconds: 0, endSeconds: sound.durationSeconds }];
  const parts = given.map(({ startSeconds, endSeconds }) => {
    const from = Math.round(Math.max(0, startSeconds) * speechRate);
    return { from, frames: Math.min(sound.frames, Math.round(endSeconds * speechRate)) - from };
  });
  const total = parts.reduce((sum, { frames }) => sum + frames, 0);
  const most = heardSeconds * speechRate;
  const slice = sliceSeconds * speechRate;
  const slices: { readonly from: number; readonly frames: number }[] = [];
  if (total <= most) slices.push(...parts);
  else
    for (const { from, frames } of parts) {
      // Each range has its share of the slices.
      const count = Math.max(1, Math.round((most / slice) * (frames / total)));
      for (let at = 0; at < count; at += 1) {
        const start = Math.round(((at + 0.5) * frames) / count - slice / 2);
        slices.push({ from: from + Math.max(0, start), frames: Math.min(slice, frames) });
      }
    }
  const whole = new Float32Array(
    Math.min(
      most,
      slices.reduce((sum, { frames }) => sum + frames, 0),
    ),
  );
  let at = 0;
  for (const { from, frames } of slices) {
    const taken = Math.min(frames, whole.length - at);
    if (taken <= 0) break;
    whole.set(sound.read(from, taken), at);
    at += taken;
  }
  return whole;
}

function written(samples: Float32Array, folder: string): SpeechSound {
  mkdirSync(folder);
  const path = join(folder, 'speech.f32');
  writeFileSync(path, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  return openSpeech(path);
}

/** Where the only person speaks, also where one was taken for several. */
function piecesOfOne(voices: readonly HeardVoice[], leastSeconds: number): HeardVoice['pieces'] {
  const [first, ...others] = voices.toSorted((a, b) => b.seconds - a.seconds);
  const secondsOf = (some: readonly HeardVoice[]): number => some.reduce((sum, { seconds }) => sum + seconds, 0);
  const isSame = (voice: HeardVoice): boolean =>
    cosine(voice.direction, first?.direction ?? voice.direction) >= sameVoice;
  const own = first === undefined ? [] : [first, ...others.filter(isSame)];
  const strange = others.filter((voice) => !isSame(voice));
  if (secondsOf(strange) > strangeShare * (secondsOf(own) + secondsOf(strange)))
    throw new EarshotError('bad_request', 'Expected one voice but several people speak', {
      nextAction: 'Give the ranges in which only this person speaks.',
      details: { reason: 'several_voices' },
    });
  const seconds = secondsOf(own);
  if (seconds < leastSeconds)
    throw new EarshotError(
      'bad_request',
      `Expected at least ${leastSeconds} s of speech of one person but heard ${seconds.toFixed(1)} s`,
      { nextAction: 'Use a longer recording of this person: 10 s or more.', details: { reason: 'too_little_speech' } },
    );
  return own.flatMap(({ pieces }) => pieces);
}
