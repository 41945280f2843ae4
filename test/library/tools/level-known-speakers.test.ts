// @module-tag slow
// level_speakers with and without the networks that tell speakers apart, on two real voices.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { levelSpeakers } from '../../../src/library/tools/level_speakers/tool.ts';
import { slice } from '../dsp/speech-like.ts';
import { lufs, type Ran, runWith } from '../dsp/tool-run.ts';
import { readAll, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { fromDb, noise } from '../../fixtures/media/signals.ts';
import { recording } from '../../fixtures/recordings.ts';

const file = scratch();
const rate = 16_000;
const seconds = 3;
const [reader, president] = [recording('austen-0870.wav'), recording('jfk.wav')].map(
  (path) => readAll(path).planes[0] as Float32Array,
) as [Float32Array, Float32Array];
/** The reader's turns at even places; the president's lie 5 LU under them, and hers differ a little. */
const levels = [-20, -25, -20.6, -25.5, -19.8, -25];
const input = noise(levels.length * seconds * rate, 4, fromDb(-66));
for (const [index, level] of levels.entries()) {
  const from = [0.4, 3.4, 2.7][index >> 1] as number;
  const turn = slice(index % 2 === 0 ? reader : president, rate, from, from + seconds);
  const gain = fromDb(level - lufs([turn], rate));
  for (const [i, x] of turn.entries())
    input[index * seconds * rate + i] = (input[index * seconds * rate + i] as number) + gain * x;
}

describe('two real voices without pauses between them', () => {
  let known: Ran;
  let unknown: Ran;
  const package_ = process.env['EARSHOT_MODELS_PACKAGE'];
  beforeAll(async () => {
    const path = writeWav(file('voices.wav'), [input], rate, 'f32');
    known = await runWith(levelSpeakers, { file_id: [path] }, {}, file('known-'));
    process.env['EARSHOT_MODELS_PACKAGE'] = '';
    unknown = await runWith(levelSpeakers, { file_id: [path] }, {}, file('unknown-'));
  });
  afterAll(() => {
    if (package_ === undefined) delete process.env['EARSHOT_MODELS_PACKAGE'];
    else process.env['EARSHOT_MODELS_PACKAGE'] = package_;
  });
  const turnsOf = (ran: Ran): number[] => {
    const plane = readAll(ran.outputs[0]?.path ?? '').planes[0] as Float32Array;
    return levels.map((_, index) => lufs([slice(plane, rate, index * seconds, (index + 1) * seconds)], rate));
  };
  const mean = (turns: readonly number[], who: number): number =>
    turns.filter((_, index) => index % 2 === who).reduce((sum, x) => sum + x, 0) / (turns.length / 2);

  it('are told apart where the networks are installed; otherwise it is said that music may be lifted', () => {
    expect(known.result['speakers']).toBe(2);
    expect(unknown.result['speakers']).toBeNull();
    expect(unknown.warnings.map(({ code }) => code)).toEqual(['sounds_not_told']);
    expect(known.warnings).toEqual([]);
  });

  it('are equally loud, at most as far apart as without the networks, and every turn is within 1.5 LU', () => {
    const [with_, without] = [turnsOf(known), turnsOf(unknown)];
    const apart = (turns: readonly number[]): number => Math.abs(mean(turns, 0) - mean(turns, 1));
    console.log(
      `between speakers ${apart(with_).toFixed(2)} LU with, ${apart(without).toFixed(2)} LU without networks`,
    );
    expect(apart(with_)).toBeLessThan(1);
    expect(apart(with_)).toBeLessThanOrEqual(apart(without));
    for (const turn of with_) expect(Math.abs(turn + 16)).toBeLessThan(1.5);
  });

  it('report progress without a step back', () => {
    for (const { progress } of [known, unknown]) expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  });
});
