// A chain that was interrupted goes on at that step, and does nothing twice that was done.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { ownerPrefix } from '../../../../src/library/core/machine/owner-names.ts';
import type { Chain } from '../../../../src/library/runtime/chains/chain.ts';
import { openKeptSteps } from '../../../../src/library/runtime/chains/kept-steps.ts';
import { runChain } from '../../../../src/library/runtime/chains/run-chain.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { notingEngine } from './noting-engine.ts';

const folder = temporaryFolder('earshot-kept-steps-');
const at = (...names: string[]): string => join(folder, ...names);
const [one, two] = ['one.wav', 'two.wav'].map((name) => writeWav(at(name), [new Float32Array(4800)], 48_000)) as [
  string,
  string,
];
const chain: Chain = {
  name: 'episode',
  steps: [{ tool: 'remove_noise' }, { tool: 'mix_tracks' }, { tool: 'adjust_loudness' }, { tool: 'transcribe' }],
};
const missing = new EarshotError('tool_unavailable', 'There is no model');
const tools = ({ calls }: ReturnType<typeof notingEngine>): string[] => calls.map(({ tool }) => tool);

it.each([
  ['mix_tracks', ['remove-noise']],
  ['adjust_loudness', ['remove-noise', 'mix']],
  ['transcribe_audio', ['remove-noise', 'mix', 'loudness']],
] as const)('goes on at %s, and its results are those of one run', async (tool, before) => {
  const [checkpoint, outputDir] = [at(`state-${tool}`), at(`out-${tool}`)];
  const options = { checkpoint, outputDir, tempDir: folder };
  await expect(runChain(notingEngine(folder, tool, missing), chain, [one, two], options)).rejects.toThrow('no model');
  expect(readdirSync(outputDir)).toEqual([]);
  const engine = notingEngine(folder);
  const told: (readonly string[])[] = [];
  const run = await runChain(engine, chain, [one, two], { ...options, onGoOn: (done) => told.push(done) });
  const all = ['remove_noise', 'remove_noise', 'mix_tracks', 'adjust_loudness', 'transcribe_audio'];
  expect(tools(engine)).toEqual(all.slice(all.indexOf(tool)));
  expect([run.doneBefore, told]).toEqual([before, [before]]);
  expect(run.steps.map(({ name, results }) => [name, results.length])).toEqual([
    ['remove-noise', 2],
    ['mix', 1],
    ['loudness', 1],
    ['transcribe', 1],
  ]);
  const fresh = await runChain(notingEngine(folder), chain, [one, two], { outputDir: at(`fresh-${tool}`) });
  expect(readdirSync(outputDir)).toEqual(readdirSync(at(`fresh-${tool}`)));
  expect({ ...run, outputs: [] }).toEqual({ ...fresh, outputs: [], doneBefore: before });
  expect(existsSync(checkpoint)).toBe(false);
});

it('does again what has lost a file, and what is of another chain or of a file that has changed', async () => {
  const checkpoint = at('changed');
  const interrupt = (...files: string[]) =>
    runChain(notingEngine(folder, 'adjust_loudness', missing), chain, files, {
      checkpoint,
      outputDir: at('changed-out'),
    });
  const goOn = async (given: Chain, ...files: string[]): Promise<string[]> => {
    const engine = notingEngine(folder, 'adjust_loudness', missing);
    await runChain(engine, given, files, { checkpoint, outputDir: at('changed-out') }).catch(() => undefined);
    return tools(engine);
  };
  await interrupt(one, two).catch(() => undefined);
  expect(await goOn(chain, one, two)).toEqual(['adjust_loudness']);
  rmSync(at('changed', 'mix-1'), { recursive: true });
  expect(await goOn(chain, one, two)).toEqual(['remove_noise', 'remove_noise', 'mix_tracks', 'adjust_loudness']);
  writeFileSync(at('changed', 'mix-1', 'x.wav'), 'half');
  expect(await goOn(chain, one, two)).toHaveLength(4);
  expect(await goOn({ ...chain, name: 'other' }, one, two)).toHaveLength(4);
  writeFileSync(two, Buffer.concat([readFileSync(two), Buffer.alloc(2)]));
  expect(await goOn({ ...chain, name: 'other' }, one, two)).toHaveLength(4);
});

it('keeps nothing of what failed by its own fault, or while another run works in the folder', async () => {
  const checkpoint = at('own');
  const options = { checkpoint, outputDir: at('own-out') };
  await expect(runChain(notingEngine(folder, 'mix_tracks'), chain, [one, two], options)).rejects.toThrow('no sound');
  expect(existsSync(checkpoint)).toBe(false);
  mkdirSync(join(checkpoint, `${ownerPrefix('at-work')}it`), { recursive: true });
  const run = await runChain(notingEngine(folder), chain, [one, two], options);
  expect(run.doneBefore).toEqual([]);
  expect(readdirSync(checkpoint)).toHaveLength(1);
});

it('lets one of two go on that began in the same moment', async () => {
  const opened = await Promise.all([openKeptSteps(at('twice'), 'same'), openKeptSteps(at('twice'), 'same')]);
  expect(opened.filter((kept) => kept !== null)).toHaveLength(1);
  // One that has ended, and one at work: the folder is not free.
  const busy = at('busy');
  mkdirSync(join(busy, `at-work-00000000-1-0-it`), { recursive: true });
  mkdirSync(join(busy, `${ownerPrefix('at-work')}it`));
  expect(await openKeptSteps(busy, 'same')).toBeNull();
});

it('of two machines over one folder the second leaves it to the first, until that one is silent', async () => {
  const folder = at('shared');
  const other = join(folder, 'at-work-00000000-1-0-it');
  mkdirSync(other, { recursive: true });
  let count = 0;
  const beating = setInterval(() => writeFileSync(join(other, 'beat'), String((count += 1))), 5);
  expect(await openKeptSteps(folder, 'same', 600)).toBeNull();
  clearInterval(beating);
  const kept = await openKeptSteps(folder, 'same', 60);
  expect(kept).not.toBeNull();
  expect(existsSync(other)).toBe(false);
  // This one shows others that it is there.
  const own = join(folder, `${ownerPrefix('at-work')}it`, 'beat');
  await vi.waitFor(() => expect(Number(readFileSync(own, 'utf8'))).toBeGreaterThan(2));
  await kept?.remove();
  expect(existsSync(folder)).toBe(false);
});
