import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Progress } from '../../../../src/library/core/progress/progress.ts';
import { createEngine } from '../../../../src/library/runtime/engine/engine.ts';
import type { UntypedEngine, RunOptions } from '../../../../src/library/runtime/engine/engine-types.ts';
import { isGone, startedBy } from '../../../fixtures/processes/listed.ts';
import { fixtureTool } from '../../../fixtures/tools/source.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { voice } from '../../../fixtures/media/signals.ts';
import { isAlive, listing, rejection, useEngines } from '../support.ts';
import { until } from '../../../fixtures/until.ts';
import { slow } from '../../../fixtures/rounds.ts';

const { folder, engine } = useEngines();

afterEach(() => {
  delete process.env['LC_EARSHOT_TEST'];
});

interface Again {
  readonly pid: number;
  readonly times: number;
  readonly seen: readonly string[];
}

async function again(shared: UntypedEngine, control: RunOptions = {}, options: object = {}): Promise<Again> {
  const { result } = await shared.run(fixtureTool, [], { behaviour: 'again', ...options }, control);
  return result as unknown as Again;
}

describe.each(['best', 'off'] as const)('a process that is used again, confinement %s', (confinement) => {
  const options = { concurrency: 1, runsPerProcess: 4, confinement };

  it(
    'does so many runs of one owner, finds nothing of the ones before, and then another takes its place',
    slow,
    async () => {
      const shared = engine(options);
      const runs: Again[] = [];
      for (let run = 0; run < 6; run++) runs.push(await again(shared));
      expect(runs.map(({ times }) => times)).toEqual([1, 2, 3, 4, 1, 2]);
      expect(new Set(runs.map(({ pid }) => pid)).size).toBe(2);
      expect(runs.flatMap(({ seen }) => seen)).toEqual([]);
      await until('the first is gone', () => isGone(runs[0]?.pid ?? 0));
    },
  );

  it('never does those of another owner, nor any where nobody is named', slow, async () => {
    const shared = engine(options);
    const owners = ['ann', 'bob', 'ann', null, null, 'bob', ''];
    const runs: Again[] = [];
    for (const owner of owners) runs.push(await again(shared, { owner }));
    expect(runs.map(({ times }) => times).slice(3, 5)).toEqual([1, 1]);
    const ownersOf = new Map<number, Set<string | null>>();
    for (const [index, { pid }] of runs.entries())
      ownersOf.set(pid, (ownersOf.get(pid) ?? new Set()).add(owners[index] ?? null));
    for (const seen of ownersOf.values()) expect(seen.size).toBe(1);
  });

  it.each(['fail', 'bug', 'segfault', 'exit', 'rejection'])(
    'ends with a run that fails: %s',
    slow,
    async (behaviour) => {
      const shared = engine(options);
      const first = await again(shared);
      await rejection(shared.run(fixtureTool, [], { behaviour }));
      await until('it is gone', () => isGone(first.pid));
      const next = await again(shared);
      expect([next.times, next.seen]).toEqual([1, []]);
      expect(next.pid).not.toBe(first.pid);
    },
  );

  it('ends with a run that is aborted, is too long, or whose output cannot be put in its place', slow, async () => {
    const shared = engine(options);
    const abort = new AbortController();
    const onProgress = ({ stage }: Progress): void => (stage === 'listening' ? abort.abort() : undefined);
    const fails: (() => Promise<unknown>)[] = [
      () => shared.run(fixtureTool, [], { behaviour: 'polite' }, { signal: abort.signal, onProgress }),
      () => shared.run(fixtureTool, [], { behaviour: 'spin' }, { maxSeconds: 1 }),
      () => shared.run(fixtureTool, [], { behaviour: 'outside' }),
    ];
    for (const fail of fails) {
      const first = await again(shared);
      expect(first.times).toBe(1);
      await rejection(fail());
      await until('it is gone', () => isGone(first.pid));
    }
  });

  it('is not used where the environment has changed since', slow, async () => {
    const shared = engine(options);
    expect((await again(shared)).times).toBe(1);
    process.env['LC_EARSHOT_TEST'] = 'other';
    expect((await again(shared)).times).toBe(1);
    expect((await again(shared)).times).toBe(2);
  });

  it('ends when it has grown above half of what a run may use', slow, async () => {
    const shared = engine({ ...options, maxJobMemoryBytes: 600 * 2 ** 20 });
    expect((await again(shared)).times).toBe(1);
    expect((await again(shared, {}, { bytes: 300 * 2 ** 20 })).times).toBe(2);
    expect((await again(shared)).times).toBe(1);
  });

  it('says nothing of an earlier run in a later one', slow, async () => {
    const shared = engine(options);
    expect((await again(shared)).times).toBe(1);
    const stages: string[] = [];
    const { result, warnings } = await shared.run(
      fixtureTool,
      [],
      { behaviour: 'write', milliseconds: 300 },
      { outputDir: folder(), onProgress: ({ stage }) => stages.push(stage) },
    );
    expect(result).toMatchObject({ inputs: 0 });
    expect(stages).not.toContain('aligning');
    expect(warnings.map(({ code }) => code)).toEqual(['truncated']);
  });

  it('fans out again, after pieces that failed, too', slow, async () => {
    const shared = engine({ ...options, runsPerProcess: 50 });
    const fanOut = async (text: string): Promise<unknown> =>
      (await shared.run(fixtureTool, [], { behaviour: 'fanOut', text, milliseconds: 5 })).result['texts'];
    for (let round = 0; round < 3; round++) {
      expect(await fanOut('a,b,c,d,e')).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect((await shared.run(fixtureTool, [], { behaviour: 'fanOutBuffers' })).result).toMatchObject({ counted: 3 });
    }
    expect((await again(shared)).times).toBe(1);
    await rejection(fanOut('a,fail,c'));
    expect(await fanOut('x,y')).toEqual(['x', 'y']);
  });

  it('reads the inputs of each run under their names, and writes outputs into their folders', slow, async () => {
    const shared = engine(options);
    const [inputs, outputDir] = [folder(), folder()];
    for (const name of ['one', 'two', 'three']) {
      writeFileSync(join(inputs, `${name}.txt`), name);
      const read = await shared.run(fixtureTool, [join(inputs, `${name}.txt`)], { behaviour: 'readInputs' });
      expect(read.result).toMatchObject({ texts: [name], names: [`${name}.txt`] });
      const { outputs } = await shared.run(
        fixtureTool,
        [],
        { behaviour: 'write', milliseconds: 1, text: name },
        { output: join(outputDir, name) },
      );
      expect(readFileSync(outputs[0]?.path ?? '', 'utf8')).toBe(name);
    }
    expect(listing(outputDir)).toEqual(['one', 'three', 'two']);
  });

  it('goes with the engine, and leaves nothing', slow, async () => {
    const tempDir = folder();
    const shared = engine({ ...options, concurrency: 2, tempDir });
    const runs = await Promise.all([
      again(shared, {}, { milliseconds: 100 }),
      again(shared, {}, { milliseconds: 100 }),
    ]);
    expect(new Set(runs.map(({ pid }) => pid)).size).toBe(2);
    expect(runs.every(({ pid }) => isAlive(pid))).toBe(true);
    await shared.close();
    expect(runs.every(({ pid }) => isGone(pid))).toBe(true);
    expect(readdirSync(tempDir)).toEqual([]);
  });
});

it('no more wait than the engine has places, whoever they belong to', slow, async () => {
  const shared = engine({ concurrency: 2, runsPerProcess: 10 });
  const runs: Again[] = [];
  for (const owner of ['a', 'b', 'c', 'd']) runs.push(await again(shared, { owner }));
  await until('two are gone', () => runs.filter(({ pid }) => !isGone(pid)).length === 2);
  expect(isGone(runs[3]?.pid ?? 0)).toBe(false);
});

it('the public engine uses processes again; those of tests and of the service only when told to', slow, async () => {
  const root = folder();
  const wav = writeWav(join(root, 'voice.wav'), [voice(16_000, 16_000)], 16_000);
  await using shared = createEngine({ tempDir: root, concurrency: 1 });
  const jobs = new Set<number>();
  for (let run = 0; run < 3; run++) {
    await shared.run('analyze_audio', wav);
    for (const { pid, command } of startedBy(process.pid)) if (command.includes('job-process')) jobs.add(pid);
  }
  expect(jobs.size).toBe(1);
  const single = engine({ concurrency: 1 });
  expect((await again(single)).pid).not.toBe((await again(single)).pid);
});

it('one that waits does not keep its host alive, and dies with it', slow, async () => {
  const script = `
    import { createEngineWith } from ${JSON.stringify(new URL('../../../../src/library/runtime/engine/engine.ts', import.meta.url).href)};
    import { fixtureTools } from ${JSON.stringify(new URL('../../../fixtures/tools/source.ts', import.meta.url).href)};
    const engine = createEngineWith(fixtureTools, { runsPerProcess: 9, tempDir: ${JSON.stringify(folder())} });
    const { result } = await engine.run('cut_audio', [], { behaviour: 'again' });
    console.log(result.pid);
  `;
  const host = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  host.stdout.on('data', (text: Buffer) => (said += text.toString()));
  expect(await new Promise((resolve) => host.once('exit', resolve))).toBe(0);
  await until('it is gone', () => isGone(Number(said)));
});
