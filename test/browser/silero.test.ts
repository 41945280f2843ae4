// Silero VAD in JavaScript, beside ONNX Runtime on the same file.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openSilero } from '../../src/browser/networks/silero.ts';
import { createSession } from '../../src/library/models/sessions.ts';
import { seeded } from '../fixtures/random.ts';

const file = new Uint8Array(
  readFileSync(fileURLToPath(new URL('../../models/silero-vad/silero_vad.onnx', import.meta.url))),
);
const rows = 3;

it('hears voices as ONNX Runtime does, within 2e-5, row by row and with what came before', async () => {
  const run = openSilero(file);
  const session = await createSession('silero-vad', file, { checked: false });
  const random = seeded(71);
  let ours = new Float32Array(2 * rows * 128);
  let theirs = new Float32Array(2 * rows * 128);
  let most = 0;
  const heard: number[] = [];
  for (let step = 0; step < 40; step += 1) {
    // A voice of pulses in the first row, noise in the second, silence in the third.
    const input = new Float32Array(rows * 576);
    for (let index = 0; index < 576; index += 1) {
      const at = step * 512 + index;
      input[index] = 0.3 * Math.sin((2 * Math.PI * 700 * at) / 16_000) * Math.exp(-(at % 133) / 30);
      input[576 + index] = 0.2 * (random() - 0.5);
    }
    const answer = run?.({ input, state: ours });
    const { output, stateN } = await session.run(
      {
        input: { data: input, dims: [rows, 576] },
        state: { data: theirs, dims: [2, rows, 128] },
        sr: { data: BigInt64Array.of(16_000n), dims: [] },
      },
      ['output', 'stateN'],
    );
    ours = answer?.stateN ?? ours;
    theirs = stateN?.data as typeof theirs;
    for (let row = 0; row < rows; row += 1)
      most = Math.max(most, Math.abs((answer?.output[row] ?? NaN) - (output?.data[row] ?? NaN)));
    heard.push(answer?.output[0] ?? 0);
  }
  expect(most).toBeLessThan(2e-5);
  // Not a comparison of zeros.
  expect(Math.max(...heard)).toBeGreaterThan(0.05);
  await session.close();
});

it('takes no other network for it', () => {
  expect(openSilero(new Uint8Array([8, 1]))).toBeNull();
  expect(() => openSilero(file.subarray(0, 500_000))).toThrow();
});
