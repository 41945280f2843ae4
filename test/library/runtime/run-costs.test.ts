// Costs are learned for each machine, tool and codecs, in a file that may be missing, broken or closed.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TimedPass } from '../../../src/library/core/run-meter.ts';
import { createRunCosts, type KindOfRun } from '../../../src/library/runtime/run-costs.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'earshot-costs-'));
  vi.stubEnv('XDG_CACHE_HOME', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const kind: KindOfRun = {
  toolId: 'adjust_loudness',
  inputs: ['talk.mp3'],
  options: { output_format: 'same' },
  parallelism: 2,
  bytes: 2 ** 20,
  windowSeconds: null,
};
const run: TimedPass[] = [
  { stage: 'measuring', seconds: 2 },
  { stage: 'polishing', seconds: 60 },
];
const ratioOf = async (of: KindOfRun): Promise<number> => {
  const { stages: costs } = await createRunCosts().of(of);
  return (costs['polishing']?.weight ?? 0) / (costs['measuring']?.weight ?? 1);
};
const books = (): string[] => readdirSync(join(folder, 'earshot', 'run-costs'));

describe('costs of runs', () => {
  it('are those of runs before, of the same tool and codecs first', async () => {
    const costs = createRunCosts();
    await costs.learn(kind, run);
    await costs.learn({ ...kind, inputs: ['a.flac'] }, [
      { stage: 'measuring', seconds: 30 },
      { stage: 'polishing', seconds: 30 },
    ]);
    expect(books()).toHaveLength(1);
    expect(await ratioOf(kind)).toBeGreaterThan(10);
    expect(await ratioOf({ ...kind, inputs: ['b.FLAC'] })).toBeLessThan(3);
    // Another machine's share of the cores, another stem: what is nearest.
    expect(await ratioOf({ ...kind, parallelism: 16, inputs: ['x/other.mp3'] })).toBeGreaterThan(10);
  });

  it('of runs alike in size, options and cores are seconds, of others ratios', async () => {
    const costs = createRunCosts();
    await costs.learn(kind, run);
    const secondsOf = async (more: Partial<KindOfRun>): Promise<number | null> => {
      const { stages, secondsPerUnit } = await costs.of({ ...kind, ...more });
      return secondsPerUnit === null ? null : (stages['polishing']?.weight ?? 0) * secondsPerUnit;
    };
    expect(await secondsOf({})).toBeCloseTo(60);
    expect(await secondsOf({ bytes: 1.6 * 2 ** 20 })).toBeCloseTo(96);
    for (const more of [
      { bytes: 40 * 2 ** 20 },
      { parallelism: 1 },
      { windowSeconds: 120 },
      { options: { output_format: 'same', target_lufs: -23 } },
    ])
      expect(await secondsOf(more)).toBeNull();
    // A long text is no kind of its own.
    expect(await secondsOf({ options: { output_format: 'same', text: 'x'.repeat(200) } })).toBeCloseTo(60);
    const window = { ...kind, windowSeconds: 120 };
    await costs.learn({ ...window, bytes: 2 ** 30 }, run);
    expect(await secondsOf({ windowSeconds: 120, bytes: 2 ** 22 })).toBeCloseTo(60);
  });

  it('of a short run say nothing', async () => {
    await createRunCosts().learn(kind, [
      { stage: 'measuring', seconds: 0.1 },
      { stage: 'polishing', seconds: 0.3 },
    ]);
    await createRunCosts().learn(kind, [{ stage: 'measuring', seconds: 100 }]);
    expect(() => books()).toThrow();
  });

  it('a broken file, or a part of it, counts as not there', async () => {
    const costs = createRunCosts();
    await costs.learn(kind, run);
    const path = join(folder, 'earshot', 'run-costs', books()[0] ?? '');
    for (const broken of [
      '',
      '[',
      '[]',
      '7',
      '{"adjust_loudness mp3>mp3 2":{"measuring":{"weight":"x"}}}',
      '{"a":null}',
    ]) {
      writeFileSync(path, broken);
      expect(Object.hasOwn((await createRunCosts().of(kind)).stages, 'polishing')).toBe(false);
    }
    await createRunCosts().learn(kind, run);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toHaveProperty(['adjust_loudness mp3>mp3 2', 'polishing']);
  });

  it('where nothing can be written, hold for the engine that learned them', async () => {
    writeFileSync(join(folder, 'earshot'), 'a file where a folder would be');
    const costs = createRunCosts();
    await costs.learn(kind, run);
    await costs.close();
    expect(Object.hasOwn((await costs.of(kind)).stages, 'polishing')).toBe(true);
    chmodSync(folder, 0o700);
  });
});
