// Whisper's grammar, on logits made up here.
import { describe, expect, it } from 'vitest';
import type { SpecialTokens } from '../../../../src/library/speech/recognise/whisper/layout.ts';
import { compressionRatio, findLoop } from '../../../../src/library/speech/recognise/whisper/loops.ts';
import { chooseToken } from '../../../../src/library/speech/recognise/whisper/rules.ts';
import { seeded } from '../../kernels/signals.ts';

const tokens: SpecialTokens = {
  end: 100,
  start: 101,
  translate: null,
  transcribe: 103,
  previous: 105,
  noSpeech: 106,
  noTimestamps: 107,
  firstTimestamp: 108,
  mostInitialTimestamp: 50,
  suppressed: [7],
  suppressedFirst: [5, 100],
  languages: new Map([['en', 102]]),
};
const size = 108 + 1501;
const greedy = { temperature: 0, random: () => 0 };
const at = (seconds: number): number => tokens.firstTimestamp + Math.round(seconds / 0.02);

function choose(most: Readonly<Record<number, number>>, said: readonly number[], voiceEndSeconds = 0): number {
  const logits = new Float32Array(size).fill(-30);
  for (const [token, logit] of Object.entries(most)) logits[Number(token)] = logit;
  return chooseToken(logits, said, tokens, greedy, { voiceEndSeconds }).token;
}

describe('chooseToken', () => {
  it('begins with a timestamp of the first second', () => {
    expect(choose({ 3: 20, [at(5)]: 10, [at(0.4)]: 5 }, [])).toBe(at(0.4));
  });
  it('never says what is suppressed, languages and tasks', () => {
    expect(choose({ 7: 20, 102: 20, 106: 20, 3: 1 }, [at(0), 4])).toBe(3);
  });
  it('timestamps come in pairs and never go back', () => {
    const said = [at(0), 4, at(2)];
    // Behind an end there is the start of the next, or the end of it all.
    expect(choose({ 3: 20, [at(2)]: 1 }, said)).toBe(at(2));
    expect(choose({ [at(1)]: 20, [at(3)]: 1 }, said)).toBe(at(3));
    expect(choose({ [at(3)]: 20, 3: 1 }, [...said, at(2)])).toBe(3);
    // An end lies behind its start.
    expect(choose({ [at(2)]: 20, [at(2.02)]: 1 }, [...said, at(2), 4])).toBe(at(2.02));
  });
  it('is due for a timestamp when all of them together are likelier than any word', () => {
    const likely = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [at(3 + index), 5]));
    expect(choose({ ...likely, 3: 6 }, [at(0), 4])).toBe(at(3));
    expect(choose({ [at(3)]: 5, 3: 6 }, [at(0), 4])).toBe(3);
  });
  it('does not end at a timestamp while there are voices left', () => {
    const said = [at(0), 4, at(2), at(2)];
    expect(choose({ 100: 20, 3: 1 }, said, 2.5)).toBe(100);
    expect(choose({ 100: 20, 3: 1 }, said, 9)).toBe(3);
    expect(choose({ 100: 20, [at(2)]: 1 }, said.slice(0, 3), 9)).toBe(at(2));
    // Behind text, only the network knows.
    expect(choose({ 100: 20, 3: 1 }, [...said, 4], 9)).toBe(100);
  });
  it('gives the probability among what is allowed', () => {
    const logits = new Float32Array(size).fill(-Infinity);
    logits[3] = 2;
    logits[4] = 1;
    logits[7] = 9;
    const { logProbability } = chooseToken(logits, [at(0), 4], tokens, greedy, { voiceEndSeconds: 0 });
    expect(logProbability).toBeCloseTo(2 - Math.log(Math.exp(2) + Math.E), 5);
  });
  it('draws from the distribution at a temperature', () => {
    const random = seeded(3);
    let threes = 0;
    for (let draw = 0; draw < 2000; draw += 1) {
      const logits = new Float32Array(size).fill(-Infinity);
      logits[3] = 1;
      logits[4] = 0;
      const { token } = chooseToken(logits, [at(0), 4], tokens, { temperature: 0.5, random }, { voiceEndSeconds: 0 });
      threes += token === 3 ? 1 : 0;
    }
    // exp(2) / (exp(2) + 1) = 0.881
    expect(threes / 2000).toBeGreaterThan(0.85);
    expect(threes / 2000).toBeLessThan(0.91);
  });
  it('leaves out only tokens that could not have been drawn', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const made = seeded(seed);
      const temperature = [0.2, 0.6, 1, 3][seed % 4] as number;
      const logits = Float32Array.from({ length: size }, () => 24 * made() - 12);
      // No timestamp is due.
      logits.fill(-40, tokens.firstTimestamp);
      const said = [at(0), 4];
      const allowed = logits.slice();
      chooseToken(allowed, said, tokens, greedy, { voiceEndSeconds: 0 });
      const [drawn, random] = [seeded(seed + 100), seeded(seed + 100)];
      const values = [...allowed].map((logit) =>
        logit === -Infinity ? logit : logit / temperature - Math.log(-Math.log(drawn() + 1e-12) + 1e-12),
      );
      const { token } = chooseToken(logits, said, tokens, { temperature, random }, { voiceEndSeconds: 0 });
      expect(token, `seed ${seed}`).toBe(values.indexOf(Math.max(...values)));
    }
  });
});

describe('findLoop', () => {
  const times = (phrase: readonly number[], count: number): number[] =>
    Array.from({ length: count }, () => phrase).flat();
  it('finds phrases that are said for ever', () => {
    expect(findLoop([1, 2, ...times([9], 18)])).toEqual({ phrase: 1, repeats: 18 });
    expect(findLoop([1, 2, ...times([5, 6, 7, 8, 9], 4)])).toEqual({ phrase: 5, repeats: 4 });
  });
  it('lets people say things a few times', () => {
    expect(findLoop(times([9], 8))).toBeNull();
    expect(findLoop(times([4, 5], 4))).toBeNull();
    expect(findLoop([...times([9], 30), 1])).toBeNull();
    expect(findLoop([])).toBeNull();
  });
});

describe('compressionRatio', () => {
  it('is high for what is said again and again', () => {
    expect(
      compressionRatio('ask not what your country can do for you, ask what you can do for your country'),
    ).toBeLessThan(2);
    expect(compressionRatio('so the thing is '.repeat(12))).toBeGreaterThan(2.4);
    expect(compressionRatio('')).toBe(0);
  });
});
