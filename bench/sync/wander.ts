// A clock that wanders over hours: made tones, computed at any moment, whose place is known every second.
//   npm run bench:sync:wander [-- --seconds 7230 --seed 73]
import { parseArgs } from 'node:util';
import { lagAt } from '../../src/library/dsp/sync/clock-lines.ts';
import { searchIn } from '../../src/library/dsp/sync/find-segments.ts';
import { syncRate } from '../../src/library/dsp/sync/marks.ts';
import { findLines, matchPair } from '../../src/library/dsp/sync/match-pair.ts';
import { heard, madeEvent, recordedEvent } from '../../test/fixtures/sounds/events.ts';

const { values: given } = parseArgs({
  options: { seconds: { type: 'string', default: '7230' }, seed: { type: 'string', default: '73' } },
});
const [seconds, seed] = [Number(given.seconds), Number(given.seed)];
/** How long a sway takes, and by how much it is ahead at most: 1.5, 15 and 18 ppm. */
const sways = [
  { period: 7200, ahead: 0.0017 },
  { period: 1800, ahead: 0.0043 },
  { period: 1200, ahead: 0.0034 },
] as const;

const event = madeEvent(seed, seconds + 10);
const shown = (milliseconds: number | undefined): string => (1000 * (milliseconds ?? Number.NaN)).toFixed(3);
console.log(
  '| sway | pieces | off along the line, at most, ms | along the bends: median, most, ms |\n|---|---|---|---|',
);
for (const { period, ahead } of sways) {
  const swaying = (at: number): number => ahead * Math.sin((2 * Math.PI * at) / period);
  const form = { rate: syncRate, noise: 0.01 };
  const clock = { starts: 3, seconds: seconds - 30, ppm: 50, sways: swaying, seed: 2 };
  const one = heard(recordedEvent(event, { ...form, ...clock }));
  const other = heard(recordedEvent(event, { ...form, starts: 0, seconds, seed: 5 }));
  const turn = (): Promise<void> => Promise.resolve();
  const { pieces } = await matchPair(one, other, await findLines(one, searchIn(other.marks), turn), turn);
  const [piece] = pieces;
  if (piece === undefined) throw new Error(`Expected a place with a sway of ${period} s`);
  const [bent, straight]: [number[], number[]] = [[], []];
  for (let at = 5; at < seconds - 40; at += 1) {
    const truth = 3 + at * 50e-6 + swaying(at);
    const part = piece.bends.findLast(({ startSeconds }) => startSeconds <= at);
    bent.push(Math.abs(lagAt(part?.line ?? piece.line, at) - truth));
    straight.push(Math.abs(lagAt(piece.line, at) - truth));
  }
  bent.sort((a, b) => a - b);
  console.log(
    `| ${1000 * ahead} ms in ${period} s | ${pieces.length} | ${shown(Math.max(...straight))} | ` +
      `${shown(bent[bent.length >> 1])}, ${shown(bent.at(-1))} |`,
  );
}
