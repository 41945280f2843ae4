// Forty made cases of the decisions that tools make without a listener, drawn by a seed: five of each of eight kinds.
//     node bench/quality/made-cases.ts [--seed=1] [--each=5] [--only=REGEXP] [--voices=FOLDER] [--music=FOLDER]
//                                      [--strokes=FOLDER] [--animals=FOLDER]
// Folders hold recordings of yours; without them voices are of test/recordings, music, strokes and barks are by script.
// A row is what was made, what came out, and whether that holds:
//   beds     level_speakers lifts no pause by over 3 dB more than the phrases beside it
//   bleed    no track of a conversation in a room comes out worse than it came, with its bleed
//   roles    remove_noise (and so `master`) tells music from people
//   louder   adjust_loudness to M4A: who asks for louder gets no softer, peaks stay under -.95 dBTP
//   barks    remove_noise leaves an animal out: within 3 dB of the plain network's gain, or 7.3 dB
//   faint    enhance_voice takes noise away that has faint music in it: half of what remove_noise gains, or more
//   strokes  what is struck or sung without a voice keeps its level within 1.5 dB
//   heads    a WAV is read as one, whatever its samples look like
import { rmSync } from 'node:fs';
import { flag } from '../compare.ts';
import { type Drawn, drawing } from './made-material.ts';
import { type Kind, kinds, scratch } from './made-kinds.ts';

const seed = Number(flag('seed') ?? 1);
const each = Number(flag('each') ?? 5);
const only = new RegExp(flag('only') ?? '', 'u');
const folders = { voices: flag('voices'), music: flag('music'), strokes: flag('strokes'), animals: flag('animals') };

console.log(`seed ${seed}\n| kind | case | came out | holds |\n|---|---|---|---|`);
let [held, all] = [0, 0];
for (const [kind, of] of Object.entries(kinds) as [string, Kind][]) {
  if (!only.test(kind)) continue;
  for (let index = 0; index < each; index += 1) {
    const drawn: Drawn = drawing(`${seed}-${kind}-${index}`, folders);
    const { made, cameOut, holds } = await of(drawn);
    all += 1;
    if (holds) held += 1;
    console.log(`| ${kind} | ${made} | ${cameOut} | ${holds ? 'yes' : '**no**'} |`);
  }
}
console.log(`${held} of ${all} hold`);
rmSync(scratch, { recursive: true, force: true });
process.exit();
