// How much further level_speakers lifts what runs on under the talk, in the talk's pauses, than the voices beside them.
//     node bench/tools/level-beds.ts [--music=FOLDER] [--only=REGEXP] [--tracks]
// Voices of test/recordings at -23 LUFS with pauses of 0.6, 1.0 and 1.5 s, every second one 6 dB softer; behind them
// music (files of a folder, or pieces by script) and noises at -36 and -45 dBFS RMS, or a far voice in the pauses
// alone, which is to be lifted. A row is the worst and the mean lift of a pause over the louder-made of the phrases
// beside it, in dB, and how many are over 3. With --tracks every second phrase is on a second track, and what is
// behind is on the first one alone.
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { seeded } from '../../test/fixtures/random.ts';
import { recording } from '../../test/fixtures/recordings.ts';
import { pieces } from '../../test/fixtures/sounds/music.ts';
import { otherPieces } from '../../test/fixtures/sounds/second-band.ts';
import { liftsOf, monoOf, phrases, rate, scene } from './bed-scenes.ts';

const flag = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const onTracks = process.argv.includes('--tracks');

const voices = (['jfk.wav', 'austen-0870.wav', 'acoustic_corpus.wav', 'clean_speech_48k.wav'] as const).map((name) =>
  phrases(monoOf(recording(name))),
);
const hiss = (seed: number): Float32Array => {
  const random = seeded(seed);
  return Float32Array.from({ length: 20 * rate }, () => random() - 0.5);
};
const musicFolder = flag('music');
const music: Record<string, () => Float32Array> =
  musicFolder === undefined
    ? Object.fromEntries(Object.entries({ ...pieces, ...otherPieces }).map(([name, make]) => [name, () => make(40)]))
    : Object.fromEntries(
        readdirSync(musicFolder).map((name) => [basename(name), () => monoOf(join(musicFolder, name), 40)]),
      );
const behind: Record<string, () => Float32Array> = {
  ...music,
  'white noise': () => hiss(3),
  'a far voice': () => monoOf(recording('sonnet001.mp3')).subarray(5 * rate),
};
const only = new RegExp(flag('only') ?? '', 'u');
console.log('| behind | level, dBFS | worst lift, dB | mean lift, dB | over 3 dB |\n|---|---|---|---|---|');
for (const [name, make] of Object.entries(behind)) {
  if (!only.test(name)) continue;
  const plane = make();
  for (const levelDbfs of [-36, -45]) {
    const lifts: number[] = [];
    for (const [index, voice] of voices.entries())
      lifts.push(
        ...(await liftsOf(
          scene(voice, plane, levelDbfs, { inPausesOnly: name === 'a far voice', onTracks }),
          `scene-${index}`,
        )),
      );
    const mean = lifts.reduce((sum, lift) => sum + lift, 0) / lifts.length;
    console.log(
      `| ${name} | ${levelDbfs} | ${Math.max(...lifts).toFixed(1)} | ${mean.toFixed(1)} | ` +
        `${lifts.filter((lift) => lift > 3).length} of ${lifts.length} |`,
    );
  }
}
