import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Progress } from '../../../../src/library/core/progress/progress.ts';
import { fixtureTool } from '../../../fixtures/tools/source.ts';
import { listing, rejection, useEngines } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const { engine, folder } = useEngines();

describe('a run', () => {
  it('publishes its output into the folder, answers the result, and leaves nothing else', slow, async () => {
    const outputDir = join(folder(), 'made', 'here');
    const run = await engine().run(fixtureTool, [], { behaviour: 'write' }, { outputDir });
    expect(run).toMatchObject({
      tool: fixtureTool,
      outputs: [
        {
          path: join(outputDir, 'result.cut.txt'),
          filename: 'result.cut.txt',
          contentType: 'text/plain',
          format: 'txt',
          sizeBytes: 5,
          durationSeconds: 2,
          role: null,
        },
      ],
      warnings: [{ code: 'truncated', message: 'A warning.' }],
      processedSeconds: 2,
    });
    expect(run.result['pid']).not.toBe(process.pid);
    expect(readFileSync(join(outputDir, 'result.cut.txt'), 'utf8')).toBe('hello');
    expect(listing(outputDir)).toEqual(['result.cut.txt']);
  });

  it('replaces an existing output only on success', async () => {
    const output = join(folder(), 'out.txt');
    writeFileSync(output, 'old');
    await rejection(engine().run(fixtureTool, [], { behaviour: 'fail' }, { output }));
    expect(readFileSync(output, 'utf8')).toBe('old');
    await engine().run(fixtureTool, [], { behaviour: 'write', text: 'new' }, { output, overwrite: true });
    expect(readFileSync(output, 'utf8')).toBe('new');
    expect(listing(dirname(output))).toEqual(['out.txt']);
  });

  it('gives outputs of the same name different names', slow, async () => {
    const outputDir = folder();
    await engine().run(fixtureTool, [], { behaviour: 'two' }, { outputDir });
    expect(listing(outputDir)).toEqual(['same.cut-2.txt', 'same.cut.txt']);
    await engine().run(fixtureTool, [], { behaviour: 'two' }, { output: join(outputDir, 'exact.txt') });
    expect(listing(outputDir)).toEqual(['exact-2.txt', 'exact.txt', 'same.cut-2.txt', 'same.cut.txt']);
  });

  it('without a destination leaves its files in a fresh folder of the caller', async () => {
    const tempDir = folder();
    const run = await engine({ tempDir }).run(fixtureTool, [], { behaviour: 'write' });
    const path = run.outputs[0]?.path ?? '';
    expect(readFileSync(path, 'utf8')).toBe('hello');
    expect(listing(tempDir)).toEqual([dirname(path).slice(tempDir.length + 1)]);
  });

  it('reports progress that never falls, from queued to done', slow, async () => {
    const seen: Progress[] = [];
    await engine().run(
      fixtureTool,
      [],
      { behaviour: 'write', milliseconds: 1500 },
      { outputDir: folder(), onProgress: (progress) => seen.push(progress) },
    );
    expect(seen[0]).toEqual({ progress: 0, stage: 'queued', estimatedSecondsLeft: null });
    expect(seen.at(-1)).toEqual({ progress: 1, stage: 'done', estimatedSecondsLeft: 0 });
    expect(seen.map(({ progress }) => progress)).toEqual(
      seen.map(({ progress }) => progress).toSorted((a, b) => a - b),
    );
    expect(new Set(seen.map(({ stage }) => stage))).toEqual(
      new Set(['queued', 'reading', 'writing', 'checking', 'done']),
    );
    expect(seen.length).toBeGreaterThan(6);
    expect(seen.length).toBeLessThan(25);
    const estimates = seen.slice(1, -1).flatMap(({ estimatedSecondsLeft }) => estimatedSecondsLeft ?? []);
    expect(estimates.length).toBeGreaterThan(0);
    expect(Math.max(...estimates)).toBeLessThan(3);
  });

  it('fails with what its progress listener throws, and takes the job down', async () => {
    const outputDir = folder();
    const thrown = await rejection(
      engine().run(
        fixtureTool,
        [],
        { behaviour: 'polite' },
        {
          outputDir,
          onProgress: ({ stage }) => {
            if (stage === 'listening') throw new RangeError('the listener is broken');
          },
        },
      ),
    );
    expect(thrown).toMatchObject({ name: 'RangeError', message: 'the listener is broken' });
    expect(listing(outputDir)).toEqual([]);
  });

  it('runs twenty at concurrency four, each in its own process', slow, async () => {
    const outputDir = folder();
    const shared = engine({ concurrency: 4 });
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        shared.run(
          fixtureTool,
          [],
          { behaviour: 'write', text: `run ${index}` },
          { output: join(outputDir, `${index}.txt`) },
        ),
      ),
    );
    expect(new Set(runs.map(({ result }) => result['pid'])).size).toBe(20);
    for (const [index, run] of runs.entries())
      expect(readFileSync(run.outputs[0]?.path ?? '', 'utf8')).toBe(`run ${index}`);
    expect(listing(outputDir)).toHaveLength(20);
  });

  it('uses the preforked process and prepares another', slow, async () => {
    const shared = engine({ prefork: true });
    const first = await shared.run(fixtureTool, [], { behaviour: 'write' }, { outputDir: folder() });
    const second = await shared.run(fixtureTool, [], { behaviour: 'write' }, { outputDir: folder() });
    expect(second.result['pid']).not.toBe(first.result['pid']);
  });
});

describe('fan-out', () => {
  it('answers in the order of the items, on more than one thread when there are cores', slow, async () => {
    const { result } = await engine().run(
      fixtureTool,
      [],
      { behaviour: 'fanOut', text: 'a,b,c,d,e' },
      { outputDir: folder() },
    );
    expect(result['texts']).toEqual(['a', 'b', 'c', 'd', 'e']);
    const together = await engine().run(fixtureTool, [], { behaviour: 'fanOutTogether', bytes: 5 });
    expect(together.result['threads']).toBe(Math.min(5, Number(together.result['parallelism'])));
  });

  it('moves ArrayBuffers both ways and shares SharedArrayBuffers', slow, async () => {
    const { result } = await engine().run(fixtureTool, [], { behaviour: 'fanOutBuffers' }, { outputDir: folder() });
    expect(result).toEqual({ doubled: [2, 4, 6], leftHere: 0, counted: 3 });
  });

  it('keeps code and details of the error of a piece, and cancels the others', slow, async () => {
    // They would take ten minutes each.
    const thrown = await rejection(
      engine().run(
        fixtureTool,
        [],
        { behaviour: 'fanOut', text: 'fail,b,c,d,e,f,g,h', milliseconds: 600_000 },
        { outputDir: folder() },
      ),
    );
    expect(thrown).toMatchObject({ code: 'no_audio', message: 'this piece fails', details: { piece: 'fail' } });
  });
});

describe('what is checked before a process starts', () => {
  it.each([
    [
      'an unknown tool',
      'cut_audo',
      [],
      { behaviour: 'write' },
      'bad_request',
      /Unknown tool cut_audo; did you mean cut_audio\?/,
    ],
    [
      'an unknown option',
      fixtureTool,
      [],
      { behaviour: 'write', sped: 1 },
      'bad_request',
      /Unknown option sped for cut_audio/,
    ],
    ['a missing option', fixtureTool, [], {}, 'bad_request', /Expected string for behaviour but received nothing/],
    [
      'a missing file',
      fixtureTool,
      '/nowhere/at/all.wav',
      { behaviour: 'write' },
      'not_found',
      /There is no file \/nowhere\/at\/all.wav/,
    ],
    [
      'a folder',
      fixtureTool,
      '/tmp',
      { behaviour: 'write' },
      'bad_request',
      /Expected a file for files but \/tmp is a folder/,
    ],
    [
      'an empty path',
      fixtureTool,
      '',
      { behaviour: 'write' },
      'bad_request',
      /Expected a path for files but received an empty string/,
    ],
    [
      'too many files',
      fixtureTool,
      Array.from({ length: 11 }, () => '/etc/passwd'),
      { behaviour: 'write' },
      'bad_request',
      /Expected at most 10 files for cut_audio but received 11/,
    ],
    [
      'an unknown input',
      fixtureTool,
      { video: 'x' },
      { behaviour: 'write' },
      'bad_request',
      /Unknown input video for cut_audio; expected files/,
    ],
  ])('%s', slow, async (_name, tool, inputs, options, code, message) => {
    const thrown = await rejection(engine().run(tool, inputs, options, { outputDir: folder() }));
    expect(thrown.code).toBe(code);
    expect(thrown.message).toMatch(message);
  });

  it('takes inputs by field and by short name', slow, async () => {
    const shared = engine();
    const path = join(folder(), 'in.bin');
    writeFileSync(path, 'x');
    for (const inputs of [path, [path], { file_ids: path }, { files: [path] }]) {
      const { result } = await shared.run(fixtureTool, inputs, { behaviour: 'write' }, { outputDir: folder() });
      expect(result['inputs']).toBe(1);
    }
  });

  it('destinations that cannot be', async () => {
    const shared = engine();
    const place = folder();
    mkdirSync(join(place, 'sub'));
    const options = { behaviour: 'write' };
    expect(await rejection(shared.run(fixtureTool, [], options, { output: join(place, 'sub') }))).toMatchObject({
      code: 'bad_request',
    });
    expect(await rejection(shared.run(fixtureTool, [], options, { output: join(place, 'no', 'x.txt') }))).toMatchObject(
      { code: 'not_found' },
    );
    expect(
      await rejection(shared.run(fixtureTool, [], options, { output: join(place, 'x'), outputDir: place })),
    ).toMatchObject({ code: 'bad_request' });
    expect(listing(place)).toEqual(['sub']);
  });

  it('engine options out of range', () => {
    expect(() => engine({ concurrency: 0 })).toThrow(
      'Expected integer of at least 1 for concurrency but received 0 of type number',
    );
    expect(() => engine({ maxJobSeconds: Number.NaN })).toThrow(/maxJobSeconds/);
  });

  it('a refused run gives its place back, and runs start in the order of the calls', slow, async () => {
    const shared = engine({ concurrency: 1 });
    const outputDir = folder();
    const finished: number[] = [];
    const runs = Array.from({ length: 6 }, (_, index) =>
      index % 2 === 0
        ? shared
            .run(fixtureTool, [], { behaviour: 'two' }, { outputDir, overwrite: true })
            .then(() => finished.push(index))
        : rejection(shared.run(fixtureTool, '/nowhere.wav', { behaviour: 'two' }, { outputDir })),
    );
    await Promise.all(runs);
    expect(finished).toEqual([0, 2, 4]);
  });

  it('a queue that is full', async () => {
    const shared = engine({ concurrency: 1, maxQueuedRuns: 0 });
    const controller = new AbortController();
    const running = shared.run(
      fixtureTool,
      [],
      { behaviour: 'polite' },
      { outputDir: folder(), signal: controller.signal },
    );
    const refused = await rejection(shared.run(fixtureTool, [], { behaviour: 'write' }, { outputDir: folder() }));
    expect(refused).toMatchObject({ code: 'limit_exceeded', retryable: true });
    controller.abort();
    expect(await rejection(running)).toMatchObject({ name: 'AbortError' });
  });
});
