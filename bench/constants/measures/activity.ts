// Where Silero's answers say that somebody speaks, against marked words: as recorded, in noise and very quietly; in
// music and noise without a voice; and after music.
import { join } from 'node:path';
import { runHere } from '../../../src/library/dsp/denoise/suppressor/pieces.ts';
import { listenForVoice, speechRegions } from '../../../src/library/speech/activity/find-speech.ts';
import { openSpeech, speechRate, type SpeechSound } from '../../../src/library/speech/speech-sound.ts';
import { readVoice } from '../../../test/fixtures/sounds/conversations.ts';
import { pieces } from '../../../test/fixtures/sounds/music.ts';
import { rate } from '../../quality/mixtures.ts';
import { resampled } from '../../quality/voice-cases.ts';
import { figure, type Measure } from '../figures.ts';
import { samples, storedSound } from '../store.ts';
import { acousticRecordings, signal } from './spoken-material.ts';
import { soundsWithoutSpeech } from './talk-levels.ts';

const quietDbfs = [-40, -60];
/** Beyond this beside a word a region holds a pause. */
const besideSeconds = 0.3;

async function regionsOf(sound: SpeechSound) {
  const options = { modelsDir: undefined, fanOut: runHere(signal), signal, onProgress: () => undefined };
  return speechRegions(await listenForVoice(sound, options), sound.durationSeconds);
}

const quieter = (plane: Float32Array, decibels: number): Float32Array => plane.map((x) => x * 10 ** (decibels / 20));

/** Music and noise, one after the other, with a second between. */
const noVoice = (): Promise<string> =>
  storedSound('sounds/no-voice', () => {
    const parts = soundsWithoutSpeech().map(({ samples, rate }) => resampled(samples, rate, speechRate));
    const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length + speechRate, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length + speechRate;
    }
    return whole;
  });

const musicSeconds = 30;
const voices = ['jfk', 'austen-0870', 'austen-0880', 'austen-0890'];

/** Seconds of a voice that go unheard since there was music before. */
async function missedAfterMusic(): Promise<number> {
  let missed = 0;
  for (const name of voices) {
    const voice = readVoice(join(samples, 'speech', `${name}.wav`));
    const played = (pieces['pop'] as (length: number) => Float32Array)(musicSeconds);
    const paths = [
      await storedSound(`sounds/${name}`, () => voice),
      await storedSound(`sounds/${name} after music`, () => {
        const music = resampled(played, rate, speechRate);
        const whole = new Float32Array(music.length + voice.length);
        whole.set(music);
        whole.set(voice, music.length);
        return whole;
      }),
    ];
    const [alone = 0, after = 0] = await Promise.all(
      paths.map(async (path) => {
        const sound = openSpeech(path);
        const [first] = await regionsOf(sound);
        sound.close();
        return first?.startSeconds ?? musicSeconds;
      }),
    );
    missed += Math.max(0, after - musicSeconds - alone);
  }
  return missed;
}

export const measure: Measure = async () => {
  let [said, missed, beyond, regions] = [0, 0, 0, 0];
  for (const { name, sound, words, fillers } of await acousticRecordings()) {
    const marked = [...words, ...fillers];
    const paths = [sound.path];
    if (name === 'acoustic-1-clean')
      for (const dbfs of quietDbfs)
        paths.push(await storedSound(`sounds/${name}${dbfs}`, () => quieter(sound.read(0, sound.frames), dbfs)));
    for (const path of paths) {
      const heard = openSpeech(path);
      const found = await regionsOf(heard);
      regions += found.length;
      for (let hop = 0; hop < 100 * heard.durationSeconds; hop += 1) {
        const at = hop / 100;
        const isVoice = found.some(({ startSeconds, endSeconds }) => at >= startSeconds && at < endSeconds);
        const near = (by: number): boolean =>
          marked.some(({ startSeconds, endSeconds }) => at >= startSeconds - by && at < endSeconds + by);
        if (near(0)) said += 0.01;
        if (near(0) && !isVoice) missed += 0.01;
        if (!near(besideSeconds) && isVoice) beyond += 0.01;
      }
      heard.close();
    }
    sound.close();
  }
  const quiet = openSpeech(await noVoice());
  const falsely = (await regionsOf(quiet)).reduce((sum, one) => sum + one.endSeconds - one.startSeconds, 0);
  quiet.close();
  return [
    figure('speech missed', (100 * missed) / said, '%', 'lower', 2),
    figure('pauses taken for speech', beyond, 's', 'lower', 2),
    figure('music and noise taken for speech', falsely, 's', 'lower', 1),
    figure('missed after music', await missedAfterMusic(), 's', 'lower', 2),
    figure('regions', regions, '', 'lower'),
  ];
};
