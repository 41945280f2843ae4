// Breaths, mouth clicks, coughs and stutters put into a recording whose words are known: what is found of each kind,
// what is taken for one, how far off its edges are, and what is lost of words. Then what people breathed and clicked.
//     node bench/speech/mouth-sounds.ts [--seeds=6]
// A sound is found when what is cut covers half of it and is half of what is cut. "others" counts what is found
// elsewhere: the recording has three breaths and four clicks of its own for each seed, and a stutter that is found in
// part.
import { quantile } from '../../test/fixtures/spoken-sounds.ts';
import { knownScores, madeScores } from './mouth-sound-scores.ts';

const seeds = Number(process.argv.find((argument) => argument.startsWith('--seeds='))?.slice('--seeds='.length) ?? 6);
const all = Array.from({ length: seeds }, (_, index) => index + 1);

for (const decibels of [null, 30, 20, 10]) {
  const title = decibels === null ? 'clean' : `noise ${decibels} dB`;
  for (const [kind, { made, found, others, edges, lostSeconds }] of await madeScores(all, decibels))
    console.log(
      `${title.padEnd(12)} ${kind.padEnd(12)} ${found} of ${made} found, ${others} others; edges ` +
        `${(1000 * quantile(edges, 0.5)).toFixed(0)} / ${(1000 * quantile(edges, 0.9)).toFixed(0)} ms; ` +
        `${(1000 * lostSeconds).toFixed(0)} ms of words lost`,
    );
}
for (const { name, breaths, breathsFound, others, clicks, clicksFound } of await knownScores())
  console.log(
    `${name.padEnd(21)} ${breathsFound} of ${breaths} breaths, ${others} others; ${clicksFound} of ${clicks} clicks`,
  );
process.exit();
