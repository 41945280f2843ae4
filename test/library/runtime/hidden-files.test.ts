// What a job hides from the bound of its disk, and from the removal of its folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { removeFolder } from '../../../src/library/core/files/remove-folder.ts';
import type { Confinement } from '../../../src/library/runtime/confine/confinement.ts';
import { kernelOffers } from '../../../src/library/runtime/confine/proof.ts';
import { createEngineWith } from '../../../src/library/runtime/engine/engine.ts';
import { bytesInFolder } from '../../../src/library/runtime/files/folder-size.ts';
import { bytesWritten } from '../../../src/library/runtime/files/held-files.ts';
import type { UntypedEngine } from '../../../src/library/runtime/engine/engine-types.ts';
import { deepFolder } from '../../fixtures/tools/deep-folder.ts';
import { fixtureTool, fixtureTools } from '../../fixtures/tools/source.ts';
import { rejection, useEngines } from './support.ts';
import { slow } from '../../fixtures/rounds.ts';

const { folder } = useEngines();
const url = new URL('../../fixtures/tools/evil.ts', import.meta.url).href;
const offers = kernelOffers();
const ways = (['off', 'landlock', 'namespaces', 'uid'] as const).filter((way) => way === 'off' || offers?.[way]);
const engines: UntypedEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

it('counts files in folders, and those that go meanwhile as nothing', async () => {
  const place = folder();
  mkdirSync(join(place, 'a', 'b'), { recursive: true });
  const empty = await bytesInFolder(place);
  writeFileSync(join(place, 'a', 'b', 'c'), Buffer.alloc(5000, 1));
  writeFileSync(join(place, 'd'), Buffer.alloc(7000, 1));
  expect((await bytesInFolder(place)) - empty).toBe(12_000);
  expect(await bytesInFolder(join(place, 'gone'))).toBe(0);
  await removeFolder(place);
  await removeFolder(place);
  expect(existsSync(place)).toBe(false);
});

describe.runIf(process.platform === 'linux')('on Linux', () => {
  it('counts a file whose name is no UTF-8', async () => {
    const place = folder();
    const empty = await bytesInFolder(place);
    writeFileSync(Buffer.concat([Buffer.from(`${place}/`), Buffer.from([0xff, 0xfe])]), Buffer.alloc(5000, 1));
    expect((await bytesInFolder(place)) - empty).toBe(5000);
    await removeFolder(place);
    expect(existsSync(place)).toBe(false);
  });

  it('takes folders deeper than a path for too much, and removes them', async () => {
    const place = folder();
    const deepest = deepFolder(place, 300);
    const file = openSync(`/proc/self/fd/${deepest}/hidden`, 'w');
    writeFileSync(file, Buffer.alloc(5000, 1));
    closeSync(file);
    closeSync(deepest);
    expect(await bytesInFolder(place)).toBe(Infinity);
    await removeFolder(place);
    expect(existsSync(place)).toBe(false);
  });

  it('removes folders that their owner may not read', async () => {
    const place = folder();
    mkdirSync(join(place, 'a', 'b'), { recursive: true });
    writeFileSync(join(place, 'a', 'b', 'c'), 'x');
    chmodSync(join(place, 'a', 'b'), 0o300);
    chmodSync(join(place, 'a'), 0o100);
    await removeFolder(place);
    expect(existsSync(place)).toBe(false);
  });

  const refusedRun = async (
    behaviour: string,
    confinement: Confinement = 'best',
    maxOutputBytes = 20 * 2 ** 20,
  ): Promise<unknown> => {
    const outputDir = folder();
    const tools = { ...fixtureTools, runModuleUrl: () => url, preloadUrls: [url] };
    const engine = createEngineWith(tools, { tempDir: outputDir, confinement });
    engines.push(engine);
    const control = { outputDir, maxOutputBytes };
    const { code, details } = await rejection(engine.run(fixtureTool, [], { behaviour }, control));
    expect(readdirSync(outputDir)).toEqual([]);
    return { code, ...details };
  };

  it.each(ways)(
    'a job that writes into folders deeper than a path is ended, and leaves nothing: %s',
    slow,
    async (way) => {
      const limit = { code: 'limit_exceeded', limit: 'maxOutputBytes', received: null };
      expect(await refusedRun('deep-disk', way)).toMatchObject(limit);
    },
  );

  it.each(ways)('a job that writes into deleted files is ended, and leaves nothing: %s', slow, async (way) => {
    const limit = { code: 'limit_exceeded', limit: 'maxOutputBytes', received: expect.any(Number) as number };
    expect(await refusedRun('deleted-disk', way)).toMatchObject(limit);
  });

  it.each(ways)('a job that moves what it hides is stopped for the look, and found out: %s', slow, async (way) => {
    // Ten of its pieces are allowed: a look before the last one is there ends nothing.
    const outcome = await refusedRun('moved-disk', way, 21 * 2 ** 20);
    expect(outcome).toMatchObject({ code: 'limit_exceeded', limit: 'maxOutputBytes' });
    // Eleven pieces of 2 MiB, each counted once.
    const { received } = outcome as { received: number };
    expect(received).toBeGreaterThanOrEqual(22 * 2 ** 20);
    expect(received).toBeLessThan(23 * 2 ** 20);
  });

  it('a run that writes more than its bound in all, and never holds as much, goes on', slow, async () => {
    const outputDir = folder();
    const tools = { ...fixtureTools, runModuleUrl: () => url, preloadUrls: [url] };
    const engine = createEngineWith(tools, { tempDir: outputDir });
    engines.push(engine);
    const control = { outputDir, maxOutputBytes: 20 * 2 ** 20 };
    const { result } = await engine.run(fixtureTool, [], { behaviour: 'rewritten-disk' }, control);
    expect(result).toEqual({ rounds: 16 });
  });

  it('takes a mapping of a deleted file for too much, and that of a program that was replaced for none', async () => {
    const work = join(folder(), 'run');
    mkdirSync(work);
    const program = join(folder(), 'sleep');
    const inWork = join(work, 'sleep');
    const ended: Promise<unknown>[] = [];
    for (const [path, bytes] of [
      [program, await bytesInFolder(work)],
      [inWork, Infinity],
    ] as const) {
      copyFileSync('/bin/sleep', path);
      const child = spawn(path, ['1000']);
      ended.push(once(child, 'exit'));
      await once(child, 'spawn');
      rmSync(path);
      expect(await bytesWritten(work, child.pid)).toBe(bytes);
      child.kill();
    }
    await Promise.all(ended);
  });
});
