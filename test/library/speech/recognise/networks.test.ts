// @module-tag slower
// The networks on the kernels of the house beside the same weights on ONNX Runtime.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createLogMel } from '../../../../src/library/kernels/log-mel.ts';
import { nativeKernels } from '../../../../src/library/kernels/load.ts';
import { findRecogniser } from '../../../../src/library/models/recognisers.ts';
import { splitAttention } from '../../../../src/library/models/split-attention.ts';
import { readLayout } from '../../../../src/library/speech/recognise/whisper/layout.ts';
import { loadWhisper } from '../../../../src/library/speech/recognise/whisper/network.ts';
import { packedEncoder } from '../../../../src/library/speech/recognise/whisper/q8-encoder.ts';
import { sharedWeights } from '../../../../src/library/speech/recognise/whisper/q8-weights.ts';
import { sharedNetwork } from '../../../../src/library/speech/recognise/whisper/shared-network.ts';
import type { RecordingName } from '../../../fixtures/recordings.ts';
import { speechOf } from '../../../fixtures/speech.ts';
import { slow } from '../../../fixtures/rounds.ts';

const layout = await readLayout(await findRecogniser(undefined, 'whisper-base'));
const folder = mkdtempSync(join(tmpdir(), 'earshot-decoder-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The first 30 s of a recording. */
async function melOf(name: RecordingName): Promise<Float32Array> {
  const sound = await speechOf(name);
  const mel = createLogMel(layout.bands).process(sound.read(0, sound.frames), layout.frames);
  sound.close();
  return mel;
}

describe('the encoder', () => {
  it('hears what ONNX Runtime hears, but for roundings', async () => {
    const shared = await sharedNetwork(layout);
    if (nativeKernels().simd !== 'avx2') {
      console.log('no AVX2 here: ONNX Runtime runs the encoder, there is nothing to compare');
      return expect(shared.encoder).toBeNull();
    }
    const [ours, theirs] = [await loadWhisper(layout, shared), await loadWhisper(layout, { ...shared, encoder: null })];
    const mel = await melOf('jfk.wav');
    const [mine, their] = [await ours.encode(mel), await theirs.encode(mel)];
    const squares = (values: Iterable<number>): number => [...values].reduce((sum, one) => sum + one * one, 0);
    const difference = squares(their.map((value, index) => value - mine[index]!));
    // ONNX Runtime rounds the inputs of most matrices to 8 bits over the whole window, which makes nearly all of it.
    expect(10 * Math.log10(squares(their) / difference)).toBeGreaterThan(14);
    await Promise.all([ours.close(), theirs.close()]);
  });

  it('on ONNX Runtime, with its attention in parts, answers the same bits as the file as it lies', async () => {
    const shared = await sharedNetwork(layout);
    const file = splitAttention(await readFile(layout.encoderPath), 10);
    const encoderFile = new SharedArrayBuffer(file.length);
    new Uint8Array(encoderFile).set(file);
    const [parts, whole] = [
      await loadWhisper(layout, { ...shared, encoder: null, encoderFile }),
      await loadWhisper({ ...layout, id: 'whole' }, { ...shared, encoder: null, encoderFile: null }),
    ];
    const mel = await melOf('jfk.wav');
    const [one, other] = [await parts.encode(mel), await whole.encode(mel)];
    expect(one.some((value) => value !== 0)).toBe(true);
    expect(Buffer.from(one.buffer).equals(Buffer.from(other.buffer))).toBe(true);
    await Promise.all([parts.close(), whole.close()]);
  });

  it('is left to ONNX Runtime where the weights are of another kind', async () => {
    expect(await packedEncoder({ ...layout, encoderPath: layout.decoderPath })).toBeNull();
    expect(await packedEncoder({ ...layout, isUsual: false })).toBeNull();
    expect(await packedEncoder({ ...layout, encoder: null })).toBeNull();
    // Settings that say something else than the file.
    for (const wrong of [{ layers: 7 }, { heads: 4, feedWidth: 1024 }, { feedWidth: 4096 }])
      expect(await packedEncoder({ ...layout, encoder: { ...layout.encoder!, ...wrong } })).toBeNull();
    expect(await packedEncoder({ ...layout, bands: 128 })).toBeNull();
  });
});

describe('the decoder', () => {
  it('chooses the tokens that ONNX Runtime chooses, and looks where it looks', slow, async () => {
    const weights = await sharedWeights(layout);
    if (nativeKernels().simd === 'baseline') {
      console.log('only plain instructions here: ONNX Runtime runs the decoder, there is nothing to compare');
      return expect(weights).toBeNull();
    }
    expect(weights).not.toBeNull();
    const shared = await sharedNetwork(layout);
    const [ours, theirs] = [
      await loadWhisper(layout, { ...shared, decoder: weights }),
      await loadWhisper(layout, { ...shared, decoder: null }),
    ];
    const sound = await speechOf('jfk.wav');
    const samples = sound.read(0, sound.frames);
    const mel = createLogMel(layout.bands);
    const heard = [await ours.encode(mel.process(samples, layout.frames))];
    heard.push(await ours.encode(mel.process(samples.subarray(48_000), layout.frames)));
    const positions = [600, 600];
    const [a, b] = [await ours.open(heard, positions), await theirs.open(heard, positions)];
    const [x, y] = [a.begin(), b.begin()];
    const rowsOf = (logits: Float32Array): Float32Array[] =>
      [0, 1].map((row) => logits.subarray(row * layout.vocabularySize, (row + 1) * layout.vocabularySize));
    const best = (logits: Float32Array): number => logits.indexOf(logits.reduce((p, q) => Math.max(p, q)));
    const { start, transcribe, languages } = layout.tokens;
    const prompt = [start, languages.get('en')!, transcribe!];
    let feed = [prompt, prompt];
    const said: number[] = [];
    let agreed = 0;
    const steps = 24;
    for (let step = 0; step < steps; step += 1) {
      const [p, q] = [await x.step(feed), await y.step(feed)];
      const [mine, their] = [rowsOf(p.logits), rowsOf(q.logits)];
      for (const row of [0, 1]) {
        if (best(mine[row]!) === best(their[row]!)) agreed += 1;
        let worst = 0;
        for (const [token, logit] of their[row]!.entries())
          worst = Math.max(worst, Math.abs(logit - mine[row]![token]!));
        expect(worst).toBeLessThan(1.5);
        for (let head = 0; head < layout.alignmentHeads.length; head += 1) {
          const [look, at] = [p.attention(row, head), q.attention(row, head)];
          expect(look.length).toBe(at.length);
          for (const [position, share] of at.entries()) expect(Math.abs(share - look[position]!)).toBeLessThan(0.05);
        }
      }
      // Both go on with what ONNX Runtime chose.
      feed = their.map((logits) => [best(logits)]);
      said.push(feed[0]![0]!);
      p.release();
      q.release();
    }
    expect(agreed).toBeGreaterThanOrEqual(2 * steps - 2);
    expect(new Set(said).size).toBeGreaterThan(10);
    // A branch goes on as if it had been alone.
    for (const opened of [a, b]) {
      const row = opened.row(0);
      const whole = row.begin();
      const [one = 0, other = 0, last = 0] = said;
      (await whole.step([prompt])).release();
      whole.branch([0, 0, 0]);
      (await whole.step([[one], [other], [other]])).release();
      whole.branch([2, 0]);
      const both = (await whole.step([[last], [last]])).logits;
      for (const [at, token] of [other, one].entries()) {
        const alone = row.begin();
        const { logits } = await alone.step([[...prompt, token, last]]);
        const branched = both.subarray(at * layout.vocabularySize, (at + 1) * layout.vocabularySize);
        expect(best(branched)).toBe(best(logits));
        const apart = logits.reduce((worst, logit, index) => Math.max(worst, Math.abs(logit - branched[index]!)), 0);
        expect(apart).toBeLessThan(0.5);
        alone.release();
      }
      whole.release();
    }
    for (const one of [x, y]) one.release();
    for (const one of [a, b]) one.release();
    await Promise.all([ours.close(), theirs.close()]);
  });

  it('is left to ONNX Runtime where the weights are of another kind', async () => {
    const decoderPath = join(folder, 'decoder.onnx');
    copyFileSync(layout.encoderPath, decoderPath);
    expect(await sharedWeights({ ...layout, decoderPath })).toBeNull();
    expect(await sharedWeights({ ...layout, decoderPath: layout.encoderPath, isUsual: false })).toBeNull();
    // Settings that say something else than the file.
    const other = join(folder, 'other.onnx');
    copyFileSync(layout.decoderPath, other);
    const vocabularySize = layout.vocabularySize - 1;
    expect(await sharedWeights({ ...layout, decoderPath: other, vocabularySize })).toBeNull();
  });
});
