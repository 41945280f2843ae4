// Several readings in parallel, on a network whose probabilities are made up here.
import { describe, expect, it } from 'vitest';
import { AbortError } from '../../../../src/library/core/abort.ts';
import { decodeWidely } from '../../../../src/library/speech/recognise/whisper/beam.ts';
import { decode } from '../../../../src/library/speech/recognise/whisper/decode.ts';
import type { Decoding, Windows } from '../../../../src/library/speech/recognise/whisper/decoder.ts';
import type { SpecialTokens } from '../../../../src/library/speech/recognise/whisper/layout.ts';
import type { WhisperNetwork } from '../../../../src/library/speech/recognise/whisper/network.ts';

const tokens: SpecialTokens = {
  end: 20,
  start: 21,
  transcribe: 22,
  translate: null,
  previous: 23,
  noSpeech: 24,
  noTimestamps: 25,
  firstTimestamp: 26,
  mostInitialTimestamp: 0,
  suppressed: [],
  suppressedFirst: [20],
  languages: new Map(),
};
const vocabularySize = 60;
const network = {
  layout: { tokens, vocabularySize, mostTokens: 40, alignmentHeads: [[0, 0]] },
} as never as WhisperNetwork;
const begin = 26;

/** Shares of the next token, by what was said; the begin is always said first. */
type Language = (said: readonly number[]) => Readonly<Record<number, number>>;

/** @returns windows that also say how many rows each step had */
function windowsOf(language: Language): Windows & { readonly rows: number; readonly steps: number[] } {
  const steps: number[] = [];
  const open = (): Decoding => {
    let said: number[][] = [[]];
    let begun = false;
    return {
      step(fed) {
        // The prompt is no text.
        if (begun) said = said.map((row, index) => [...row, ...(fed[index] ?? [])]);
        begun = true;
        steps.push(said.length);
        const logits = new Float32Array(said.length * vocabularySize).fill(-30);
        for (const [row, tokensSaid] of said.entries())
          for (const [token, share] of Object.entries(
            tokensSaid.length === 0 ? { [begin]: 1 } : language(tokensSaid.slice(1)),
          ))
            logits[row * vocabularySize + Number(token)] = Math.log(share);
        return Promise.resolve({
          logits,
          // The row's words, so that attention tells whose it is.
          attention: (row: number) => Float32Array.of(said[row]?.at(-1) ?? 0, said[row]?.length ?? 0),
          release: () => undefined,
        });
      },
      keep: (wanted) => wanted.flatMap((kept, index) => (kept ? [index] : [])),
      branch: (parents) => void (said = parents.map((parent) => [...(said[parent] as number[])])),
      release: () => undefined,
    };
  };
  const windows = { rows: 1, steps, opening: new Float32Array(vocabularySize), begin: open, release: () => undefined };
  return { ...windows, row: () => ({ ...windows, row: () => windows as never }) };
}

const read = (windows: Windows, cancelled = () => false) =>
  decodeWidely(network, windows, {
    prompt: [21],
    positions: 2,
    sounding: { voiceEndSeconds: 0 },
    mostTokens: 20,
    cancelled,
  });

/** "1 2" begins likelier than "3 4", and is less likely as a whole. */
const garden: Language = (said) => {
  if (said.length === 0) return { 1: 0.55, 3: 0.45 };
  if (said.length === 1) return said[0] === 1 ? { 2: 0.3, 5: 0.28, 6: 0.27, 20: 0.15 } : { 4: 0.95, 2: 0.05 };
  return { 20: 0.9, 7: 0.1 };
};

describe('decodeWidely', () => {
  it('finds what is likelier as a whole, where each step alone goes wrong', async () => {
    const [greedy] = await decode(network, windowsOf(garden), {
      prompt: [21],
      positions: [2],
      soundings: [{ voiceEndSeconds: 0 }],
      sampling: { temperature: 0, random: () => 0 },
      cancelled: () => false,
    });
    expect(greedy?.tokens).toEqual([begin, 1, 2]);
    const windows = windowsOf(garden);
    const wide = await read(windows);
    expect(wide.tokens).toEqual([begin, 3, 4]);
    expect(wide.looped).toBe(false);
    expect(wide.logProbabilities.map((one) => Math.exp(one).toFixed(2))).toEqual(['1.00', '0.45', '0.95']);
    expect(wide.meanLogProbability).toBeCloseTo(Math.log(0.45 * 0.95 * 0.9) / 4, 4);
    // One for each token and one for the end, all of its own words.
    expect(wide.attention.map((one) => [...one])).toEqual([
      [0, 0],
      [begin, 1],
      [3, 2],
      [4, 3],
    ]);
    expect(Math.max(...windows.steps)).toBe(3);
  });

  it('ends where it turns in circles, at the limit of tokens, and when it is cancelled', async () => {
    const circles = await read(windowsOf(() => ({ 1: 1 })));
    expect(circles.looped).toBe(true);
    const endless = await read(windowsOf((said) => ({ [(said.length * 7) % 19]: 1 })));
    expect(endless).toMatchObject({ looped: true });
    expect(endless.tokens.length).toBe(20);
    await expect(read(windowsOf(garden), () => true)).rejects.toThrow(AbortError);
  });
});
