// What remove_noise says of the passages that it left alone, of sounds whose passages are known. Networks answer once:
// the passages are kept.
import { chooseNoiseEngine } from '../../../src/library/dsp/denoise/engines.ts';
import { createPassageReport } from '../../../src/library/dsp/denoise/passages/passage-report.ts';
import type { Passage } from '../../../src/library/dsp/denoise/passages/watchful.ts';
import { pieces } from '../../../test/fixtures/sounds/music.ts';
import { creak, laugh, whisper } from '../../../test/fixtures/sounds/revoice.ts';
import { watched } from '../../../test/fixtures/sounds/watched.ts';
import { machines } from '../../quality/machines.ts';
import { mix, noises, rate, sample } from '../../quality/mixtures.ts';
import { figure, type Measure } from '../figures.ts';
import { stored } from '../store.ts';

interface Case {
  readonly name: string;
  /** The code that must come; null: none may. */
  readonly code: string | null;
  readonly sound: () => Float32Array;
}

const gain = (plane: Float32Array, dbfs: number): Float32Array => {
  const power = plane.reduce((sum, x) => sum + x * x, 0) / plane.length;
  return plane.map((x) => (x * 10 ** (dbfs / 20)) / Math.sqrt(power + 1e-20));
};
const voice = (seconds: number): Float32Array => sample('noise/clean_speech_48k.wav').slice(0, seconds * rate);
const song = (name: string, seconds: number): Float32Array =>
  (pieces[name] as (length: number) => Float32Array)(seconds);
const noise = (name: string, seconds: number): Float32Array =>
  (noises[name] as (frames: number) => Float32Array)(seconds * rate);
function inOne(...parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const songs = ['rock', 'pop', 'strummed guitar', 'pads'];
const cases: readonly Case[] = [
  ...songs.flatMap((name) =>
    [1.5, 3, 6].map((seconds) => ({
      name: `${name} of ${seconds} s between voices`,
      code: 'music_kept',
      sound: () => inOne(voice(4), gain(song(name, seconds), -20), voice(4)),
    })),
  ),
  { name: 'a whisper', code: 'quiet_voice_kept', sound: () => gain(whisper(voice(6)), -46) },
  { name: 'a creak', code: 'quiet_voice_kept', sound: () => gain(creak(voice(6)), -46) },
  { name: 'laughter', code: 'quiet_voice_kept', sound: () => gain(laugh(6), -46) },
  { name: 'a voice', code: null, sound: () => voice(8) },
  ...Object.keys(noises).map((name) => ({
    name: `a voice in ${name}`,
    code: null,
    sound: () => mix(voice(8), noise(name, 8), 5),
  })),
  ...Object.keys(machines)
    .slice(0, 6)
    .map((name) => ({
      name: `a machine: ${name}`,
      code: null,
      sound: () => gain((machines[name] as (frames: number) => Float32Array)(8 * rate), -30),
    })),
];

export const measure: Measure = async () => {
  const engine = await chooseNoiseEngine(undefined, 'deepfilternet3');
  let [unsaid, otherwise, saidWrongly, listed] = [0, 0, 0, 0];
  for (const { name, code, sound } of cases) {
    const passages = await stored<readonly Passage[]>(
      `passage-reports/${name.replaceAll(/\W+/gu, '-')}`,
      async () => (await watched(engine, [sound()])).passages,
    );
    const report = createPassageReport(1);
    for (const passage of passages) report.add(passage);
    const warnings = report.warnings();
    if (code === null) saidWrongly += warnings.length;
    else if (warnings.length === 0) unsaid += 1;
    else if (!warnings.some((warning) => warning.code === code)) otherwise += 1;
    listed += warnings.flatMap(({ message }) => message.match(/\d+:\d\d-\d+:\d\d/gu) ?? []).length;
  }
  const expected = cases.filter(({ code }) => code !== null).length;
  return [
    figure(`passages not said, of ${expected}`, unsaid, '', 'lower'),
    figure('named as something else', otherwise, '', 'lower'),
    figure('said wrongly', saidWrongly, '', 'lower'),
    figure('stretches listed', listed, '', 'lower'),
  ];
};
