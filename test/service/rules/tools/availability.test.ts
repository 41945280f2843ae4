// How often tools look for what they need, and how soon a change shows.
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it } from 'vitest';
import { toolIds } from '../../../../src/library/contract/tool-ids.ts';
import type { Unavailability } from '../../../../src/library/contract/unavailable.ts';
import { rememberAvailability } from '../../../../src/service/rules/tools/availability.ts';
import { forEachTool, indexTools, type FactsByTool } from '../../../../src/service/rules/tools/tool-facts.ts';
import { offeredTools as tools } from '../../../../src/service/offers/offers.ts';
import { createGate } from '../../../fixtures/until.ts';
import { fakeTools } from '../tool-facts.ts';

const missing: Unavailability = { message: 'The model is not installed', nextAction: 'Install it.' };

function remembered(look: () => Promise<Unavailability | null>): {
  readonly ask: () => Promise<Unavailability | null>;
  pass(ms: number): void;
} {
  let now = 0;
  const plain = indexTools(fakeTools());
  const all: FactsByTool = rememberAvailability(
    forEachTool((id) => ({ ...plain[id], unavailable: look })),
    () => now,
  );
  return { ask: () => all.remove_noise.unavailable(), pass: (ms) => void (now += ms) };
}

describe('looks for what a tool needs', () => {
  it('are one a second, however many ask', async () => {
    let looks = 0;
    const { ask, pass } = remembered(() => {
      looks += 1;
      return Promise.resolve(missing);
    });
    expect(await Promise.all(Array.from({ length: 500 }, ask))).toEqual(Array.from({ length: 500 }, () => missing));
    expect(looks).toBe(1);
    pass(999);
    await ask();
    expect(looks).toBe(1);
    pass(2);
    await Promise.all(Array.from({ length: 500 }, ask));
    expect(looks).toBe(2);
  });

  it('keep nobody waiting who may have the last answer, and show a change', async () => {
    let answer: Unavailability | null = missing;
    let gate = Promise.resolve();
    const { ask, pass } = remembered(() => gate.then(() => answer));
    expect(await ask()).toBe(missing);
    const slow = createGate();
    gate = slow.opened;
    answer = null;
    pass(1500);
    expect(await ask()).toBe(missing);
    slow.open();
    await slow.opened;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await ask()).toBeNull();
  });

  it('are waited for after a long silence', async () => {
    let answer: Unavailability | null = missing;
    const { ask, pass } = remembered(() => Promise.resolve(answer));
    expect(await ask()).toBe(missing);
    answer = null;
    pass(10_001);
    expect(await ask()).toBeNull();
  });

  it('that fail are not remembered', async () => {
    let looks = 0;
    const { ask } = remembered(() =>
      (looks += 1) === 1 ? Promise.reject(new Error('the disk fails')) : Promise.resolve(null),
    );
    await expect(ask()).rejects.toThrow('the disk fails');
    expect(await ask()).toBeNull();
  });
});

describe('the real tools', () => {
  const real = { ...fs };
  afterEach(() => {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  });

  it('look at the disk as often for 200 requests as for one', async () => {
    let looks = 0;
    for (const name of ['stat', 'lstat', 'open', 'readFile', 'readdir', 'access'] as const)
      Object.assign(fs, {
        [name]: (...args: never[]) => {
          looks += 1;
          return (real[name] as (...given: never[]) => unknown)(...args);
        },
      });
    syncBuiltinESMExports();
    const all = rememberAvailability(indexTools(tools), () => 0);
    const askAll = (): Promise<unknown> => Promise.all(toolIds.map((id) => all[id].unavailable()));
    await askAll();
    const first = looks;
    expect(first).toBeGreaterThan(10);
    for (let request = 0; request < 200; request += 1) await askAll();
    expect(looks).toBe(first);
  });
});
