import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { fromHalf, toHalf } from '../../../src/library/models/half.ts';
import { sharesNetworks } from '../../../src/library/models/raw-sessions.ts';
import { createSession } from '../../../src/library/models/sessions.ts';
import { node, onnxFile, tensor } from '../../fixtures/networks/onnx-file.ts';
import { slow } from '../../fixtures/rounds.ts';

describe('half precision', () => {
  it('is exact there and back for every half', slow, () => {
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

describe('a session that threads share', () => {
  const doubling = onnxFile({
    nodes: [node('Add', ['x', 'x'], ['y']), node('Identity', ['n'], ['m'])],
    constants: [],
    inputs: [tensor('x', ['batch', 3]), tensor('n', ['count'], 'int64')],
    outputs: [tensor('y', ['batch', 3]), tensor('m', ['count'], 'int64')],
  });
  const feeds = {
    x: { data: Float32Array.of(1, -2.5, 4), dims: [1, 3] },
    n: { data: BigInt64Array.of(7n, -(2n ** 40n)), dims: [2] },
  };
  const noFile = '/nowhere/network.onnx';

  it('is one network for all threads, and is freed with the last of them', slow, async () => {
    expect(await sharesNetworks()).toBe(true);
    const sharedAs = 'sessions.test/doubling';
    const first = await createSession('doubling', doubling, { sharedAs });
    expect([...first.inputs]).toEqual([
      ['x', ['batch', 3]],
      ['n', ['count']],
    ]);
    // Nothing is read: it is the same network.
    const second = await createSession('doubling', noFile, { sharedAs });
    const worker = new Worker(new URL('shared-session-worker.ts', import.meta.url), {
      workerData: { sharedAs, feeds },
    });
    // Listened for at once: it may answer and end while other things are awaited.
    const [answered, ended] = [once(worker, 'message'), once(worker, 'exit')];
    const { y, m } = await second.run(feeds, ['y', 'm']);
    expect(y).toEqual({ data: Float32Array.of(2, -5, 8), dims: [1, 3] });
    expect(m).toEqual({ data: feeds.n.data, dims: [2] });
    const place = new Float32Array(3);
    await second.run(feeds, ['y'], { y: { data: place, dims: [1, 3] } });
    expect(place).toEqual(Float32Array.of(2, -5, 8));
    const [{ answers }] = (await answered) as [{ answers: Float32Array[] }];
    expect(answers).toHaveLength(200);
    for (const answer of answers) expect(answer).toEqual(Float32Array.of(2, -5, 8));
    await ended;
    await first.close();
    await expect(first.run(feeds, ['y'])).rejects.toThrow('closed');
    expect((await second.run(feeds, ['y'])).y?.data).toEqual(Float32Array.of(2, -5, 8));
    await second.close();
    await expect(createSession('doubling', noFile, { sharedAs })).rejects.toMatchObject({
      code: 'tool_unavailable',
      message: expect.stringContaining('ONNX Runtime refuses the model doubling') as string,
    });
  });

  it('reads shared memory, and says what is wrong with a network or a run', async () => {
    const memory = new Uint8Array(new SharedArrayBuffer(doubling.length));
    memory.set(doubling);
    for (const options of [{}, { sharedAs: 'sessions.test/memory' }]) {
      const session = await createSession('doubling', memory, options);
      expect((await session.run(feeds, ['y'])).y?.data).toEqual(Float32Array.of(2, -5, 8));
      const wrong = { ...feeds, x: { data: new Float32Array(4), dims: [1, 4] } };
      await expect(session.run(wrong, ['y'])).rejects.toThrow(/dimension/i);
      await expect(session.run({ ...feeds, x: { data: new Float32Array(2), dims: [1, 3] } }, ['y'])).rejects.toThrow();
      await expect(session.run(feeds, ['z'])).rejects.toThrow(/z/);
      await session.close();
    }
    const damaged = createSession('damaged', doubling.slice(0, -20), { sharedAs: 'sessions.test/damaged' });
    await expect(damaged).rejects.toMatchObject({ code: 'tool_unavailable', details: { model: 'damaged' } });
  });

  it('takes and gives float32 where the network has halves', async () => {
    const halves = onnxFile({
      nodes: [node('Identity', ['x'], ['y'])],
      constants: [],
      inputs: [tensor('x', ['length'], 'float16')],
      outputs: [tensor('y', ['length'], 'float16')],
    });
    const session = await createSession('halves', halves, { sharedAs: 'sessions.test/halves' });
    const { y } = await session.run({ x: { data: Float32Array.of(1, 1 / 3), dims: [2] } }, ['y']);
    expect(y?.data).toEqual(Float32Array.of(1, 0.333251953125));
    const nothing = await session.run({ x: { data: new Float32Array(0), dims: [0] } }, ['y']);
    expect(nothing.y).toEqual({ data: new Float32Array(0), dims: [0] });
    await session.close();
  });
});
