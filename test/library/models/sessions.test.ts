import { describe, expect, it } from 'vitest';
import { fromHalf, toHalf } from '../../../src/library/models/half.ts';
import { createSession } from '../../../src/library/models/sessions.ts';
import { node, onnxFile, tensor } from '../../fixtures/networks/onnx-file.ts';

describe('half precision', () => {
  it('is exact there and back for every half', () => {
    const all = Uint16Array.from({ length: 65_536 }, (_, half) => half);
    const back = toHalf(fromHalf(all));
    for (const [half, again] of back.entries()) {
      const isNan = (half & 0x7c00) === 0x7c00 && (half & 0x3ff) !== 0;
      if (isNan) expect((again & 0x7c00) === 0x7c00 && (again & 0x3ff) !== 0).toBe(true);
      else expect(again, `half ${half}`).toBe(half);
    }
  });

  it('rounds to the nearest, ties to even', () => {
    const of = (value: number): number => fromHalf(toHalf(Float32Array.of(value)))[0] as number;
    expect(of(1 / 3)).toBe(0.333251953125);
    expect(of(1 + 2 ** -11)).toBe(1);
    expect(of(1 + 3 * 2 ** -11)).toBe(1 + 2 ** -9);
    expect(of(65_504)).toBe(65_504);
    expect(of(65_519)).toBe(65_504);
    expect(of(65_520)).toBe(Infinity);
    expect(of(-1e30)).toBe(-Infinity);
    expect(of(2 ** -25)).toBe(0);
    expect(of(1.5 * 2 ** -24)).toBe(2 ** -23);
    expect(Object.is(of(-0), -0)).toBe(true);
  });
});

describe('createSession', () => {
  it('takes and gives float32 where the network has halves', async () => {
    const session = await createSession(
      'halves',
      onnxFile({
        nodes: [node('Identity', ['x'], ['y']), node('Cast', ['x'], ['z'], { to: 1 })],
        constants: [],
        inputs: [tensor('x', ['length'], 'float16')],
        outputs: [tensor('y', ['length'], 'float16'), tensor('z', ['length'])],
      }),
    );
    const x = { data: Float32Array.of(1, -2.5, 1 / 3), dims: [3] };
    const expected = Float32Array.of(1, -2.5, 0.333251953125);
    const { y, z } = await session.run({ x }, ['y', 'z']);
    expect(y?.data).toEqual(expected);
    expect(z?.data).toEqual(expected);
    const [place, other] = [new Float32Array(3), new Float32Array(3)];
    await session.run({ x }, ['y', 'z'], { y: { data: place, dims: [3] }, z: { data: other, dims: [3] } });
    expect([place, other]).toEqual([expected, expected]);
    await session.close();
  });
});
