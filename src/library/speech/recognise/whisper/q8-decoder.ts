// An 8-bit decoder on our own kernel: cross keys and values take a quarter, threads share the weights, and a window's
// result does not depend on the other windows.
import { freeMemory } from '../../../core/free-buffer.ts';
import {
  createWhisperDecoder,
  type DecodedRow,
  type PackedWeights,
  stepMemory,
} from '../../../kernels/whisper-decoder.ts';
import type { WhisperLayout } from './layout.ts';
import type { Decoding, WhisperDecoder, Windows } from './decoder.ts';

type OpenRow = Omit<DecodedRow, 'own'>;

export function q8Decoder(layout: WhisperLayout, weights: PackedWeights): WhisperDecoder {
  const { frames, vocabularySize, alignmentHeads, tokens: special } = layout;
  const kernel = createWhisperDecoder(weights);
  const allPositions = frames / 2;

  const begin = (opened: readonly OpenRow[]): Decoding => {
    let rows = opened.map((row): DecodedRow => ({ ...row, own: new Float32Array(kernel.ownLength) }));
    let past = 0;
    const memory = stepMemory();
    return {
      step(tokens) {
        const heads = alignmentHeads.length;
        const { logits, attention } = kernel.step(rows, tokens, past, alignmentHeads, memory);
        const lengths = rows.map(({ positions }) => positions);
        past += tokens[0]?.length ?? 0;
        return Promise.resolve({
          logits,
          attention(row, head) {
            const length = lengths[row] ?? 0;
            return (attention[row] ?? new Float32Array(heads * length)).subarray(head * length, (head + 1) * length);
          },
          // The next step writes over it.
          release: () => undefined,
        });
      },
      keep(wanted) {
        for (const [index, { own }] of rows.entries()) if (!wanted[index]) freeMemory(own);
        rows = rows.filter((_, index) => wanted[index]);
        return wanted.flatMap((kept, index) => (kept ? [index] : []));
      },
      branch(parents) {
        const free = rows.filter((_, index) => !parents.includes(index)).map(({ own }) => own);
        rows = parents.map((parent, index) => {
          const row = rows[parent] as DecodedRow;
          if (parents.indexOf(parent) === index) return row;
          const own = free.pop() ?? new Float32Array(kernel.ownLength);
          // Of each layer's keys and values only the tokens so far.
          const cache = kernel.ownLength / (2 * weights.shape.layers);
          const used = (cache / weights.shape.mostTokens) * past;
          for (let from = 0; from < own.length; from += cache) own.set(row.own.subarray(from, from + used), from);
          return { ...row, own };
        });
        for (const own of free) freeMemory(own);
      },
      release() {
        for (const { own } of rows) freeMemory(own);
        freeMemory(memory.logits);
        freeMemory(memory.attention);
        rows = [];
      },
    };
  };

  const windowsOf = (opened: readonly OpenRow[], opening: Float32Array): Windows => ({
    rows: opened.length,
    opening,
    begin: () => begin(opened),
    row: (index) =>
      windowsOf(opened.slice(index, index + 1), opening.subarray(index * vocabularySize, (index + 1) * vocabularySize)),
    release() {
      for (const { cross } of opened) freeMemory(cross);
    },
  });

  return {
    async open(heard, wanted) {
      const opened = heard.map((values, index): OpenRow => {
        const positions = Math.min(wanted[index] ?? allPositions, allPositions);
        return { cross: kernel.open(values, positions), positions };
      });
      const first = begin(opened);
      const { logits } = await first.step(opened.map(() => [special.start]));
      const opening = logits.slice();
      first.release();
      return windowsOf(opened, opening);
    },
    close: () => Promise.resolve(),
  };
}
