// Inputs that are bytes or streams, and outputs that are streams. What is set aside is gone afterwards, however a run
// ends.
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createEngine, peaks, probe, type RunInputs } from '../../../src/index.ts';
import { makeDemoClip } from '../../fixtures/media/demo-clip.ts';
import { fixtureTool } from '../../fixtures/tools/source.ts';
import { listing, rejection, useEngines } from './support.ts';
import { until } from '../../fixtures/until.ts';
import { slow } from '../../fixtures/rounds.ts';

const { engine, folder } = useEngines();

const webStream = (content: string): ReadableStream<Uint8Array> => new Response(content).body!;
async function* generated(): AsyncGenerator<Uint8Array | string> {
  yield 'from a ';
  await delay(5);
  yield Buffer.from('generator');
}

async function endless(): Promise<{ stream: Readable; read(): number }> {
  let bytes = 0;
  const stream = new Readable({
    read() {
      bytes += 65_536;
      this.push(Buffer.alloc(65_536));
    },
  });
  return { stream, read: () => bytes };
}

describe('inputs without a file', () => {
  it('are what a path would be: bytes, Node streams, web streams, generators', slow, async () => {
    const tempDir = folder();
    const path = join(folder(), 'on disk.txt');
    writeFileSync(path, 'from a file');
    const { result } = await engine({ tempDir }).run(
      fixtureTool,
      [
        Buffer.from('from a Buffer'),
        Readable.from([Buffer.from('from a '), 'Readable']),
        { data: webStream('from the web'), name: 'web.txt' },
        generated(),
        path,
      ],
      { behaviour: 'readInputs' },
    );
    expect(result).toEqual({
      texts: ['from a Buffer', 'from a Readable', 'from the web', 'from a generator', 'from a file'],
      names: ['input', 'input', 'web.txt', 'input', 'on disk.txt'],
    });
    expect(listing(tempDir)).toEqual([]);
  });

  it.each<[string, () => RunInputs]>([
    ['alone', () => Buffer.from('x')],
    ['with a name', () => ({ data: Buffer.from('x'), name: 'named' })],
    ['by field', () => ({ files: Readable.from(['x']) })],
    ['in a list by field', () => ({ file_ids: [new Uint8Array([120])] })],
  ])('may be given %s', async (_, inputs) => {
    const { result } = await engine().run(fixtureTool, inputs(), { behaviour: 'readInputs' });
    expect(result['texts']).toEqual(['x']);
  });

  it.each<[string, () => unknown]>([
    [
      'a stream that fails',
      () =>
        Readable.from(
          (async function* () {
            yield 'a';
            throw new Error('the line broke');
          })(),
        ),
    ],
    ['a stream that hands out objects', () => Readable.from([{ a: 1 }])],
    [
      'a stream that somebody reads',
      () => {
        const one = webStream('x');
        one.getReader();
        return one;
      },
    ],
    [
      'a stream that has failed before',
      () => {
        const one = new PassThrough();
        one.destroy(new Error('long ago'));
        return one;
      },
    ],
  ])('%s is refused, and nothing stays', async (_, source) => {
    const tempDir = folder();
    const thrown = await rejection(
      engine({ tempDir }).run(fixtureTool, source() as Readable, { behaviour: 'readInputs' }),
    );
    expect(thrown).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('The stream for files failed') as string,
    });
    expect(thrown.cause).toBeInstanceOf(Error);
    expect(listing(tempDir)).toEqual([]);
  });

  it('one stream for two inputs is refused', async () => {
    const stream = Readable.from(['x']);
    const thrown = await rejection(engine().run(fixtureTool, [stream, stream], { behaviour: 'readInputs' }));
    expect(thrown.message).toContain('received one twice');
  });

  it.each([
    ['bytes', () => Promise.resolve({ stream: Buffer.alloc(1001), read: () => 0 })],
    ['a stream without end', endless],
  ])('%s over the limit are refused, and the stream is read no further', async (_, make) => {
    const tempDir = folder();
    const { stream, read } = await make();
    const thrown = await rejection(
      engine({ tempDir, maxSpooledBytes: 1000 }).run(fixtureTool, stream, { behaviour: 'readInputs' }),
    );
    expect(thrown).toMatchObject({
      code: 'file_too_large',
      message: 'Expected at most 1000 bytes for files but received more',
    });
    expect(listing(tempDir)).toEqual([]);
    expect(read()).toBeLessThan(2 ** 20);
    if (stream instanceof Readable) expect(stream.destroyed).toBe(true);
  });

  it('a stream is destroyed when the run is refused before it is read', async () => {
    const { stream } = await endless();
    await rejection(engine().run(fixtureTool, stream, { behaviour: 'readInputs', unknown: 1 }));
    expect(stream.destroyed).toBe(true);
    const { stream: another } = await endless();
    const closed = engine();
    await closed.close();
    await rejection(closed.run(fixtureTool, another, { behaviour: 'readInputs' }));
    expect(another.destroyed).toBe(true);
  });

  it('an abort ends a run that waits for a silent stream, and a slow stream keeps no other run waiting', async () => {
    const tempDir = folder();
    const shared = engine({ tempDir, concurrency: 1 });
    const silent = new PassThrough();
    silent.write('some, and then nothing');
    const abort = new AbortController();
    const waiting = shared.run(fixtureTool, silent, { behaviour: 'readInputs' }, { signal: abort.signal });
    const refused = rejection(waiting);
    await until('the stream is being read', () => listing(tempDir).length > 0);
    const { result } = await shared.run(fixtureTool, Buffer.from('quick'), { behaviour: 'readInputs' });
    expect(result['texts']).toEqual(['quick']);
    const reason = new Error('nobody waits any more');
    abort.abort(reason);
    const thrown = await refused;
    expect(thrown).toMatchObject({ name: 'AbortError', message: 'The operation was aborted: nobody waits any more' });
    expect(thrown.cause).toBe(reason);
    expect(silent.destroyed).toBe(true);
    expect(listing(tempDir)).toEqual([]);
  });
});

describe('the reason of a signal', () => {
  it('is the cause of what an aborted run rejects with', async () => {
    const shared = engine();
    const timeout = await rejection(
      shared.run(fixtureTool, [], { behaviour: 'polite' }, { signal: AbortSignal.timeout(200) }),
    );
    expect(timeout).toMatchObject({ name: 'AbortError', cause: { name: 'TimeoutError' } });
    const before = await rejection(
      shared.run(fixtureTool, [], { behaviour: 'polite' }, { signal: AbortSignal.abort('not today') }),
    );
    expect(before).toMatchObject({
      name: 'AbortError',
      cause: 'not today',
      message: expect.stringContaining('not today') as string,
    });
    const running = shared.run(fixtureTool, [], { behaviour: 'polite' });
    const closed = rejection(running);
    await delay(50);
    await shared.close();
    expect(await closed).toMatchObject({ name: 'AbortError', message: 'The engine was closed' });
  });
});

describe('outputs as streams', () => {
  it('lie nowhere, and are what the files would be', async () => {
    const tempDir = folder();
    const run = await engine({ tempDir }).stream(fixtureTool, [], { behaviour: 'write', text: 'all of it' });
    expect(run.outputs).toHaveLength(1);
    const [output] = run.outputs;
    expect(output).toMatchObject({ filename: 'result.cut.txt', format: 'txt', sizeBytes: 9 });
    expect(output).not.toHaveProperty('path');
    expect(listing(tempDir)).toEqual([]);
    expect(await text(output!.stream)).toBe('all of it');
  });

  it('from memory to memory', slow, async () => {
    const tempDir = folder();
    const shared = createEngine({ tempDir });
    const path = join(folder(), 'clip.wav');
    writeFileSync(path, makeDemoClip());
    const flac = await shared.stream('convert_audio', createReadStream(path), { format: 'flac' });
    expect(flac.result.format).toBe('flac');
    const bytes = await buffer(flac.outputs[0]!.stream);
    expect(bytes.subarray(0, 4).toString()).toBe('fLaC');
    expect(flac.outputs[0]!.filename).toBe('input.convert.flac');
    const back = await shared.run('analyze_audio', { data: bytes, name: 'clip.flac' });
    const before = await shared.run('analyze_audio', path);
    expect(back.result.loudness).toEqual(before.result.loudness);
    await shared.close();
    expect(listing(tempDir)).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });
});

describe('probe and peaks', () => {
  it('take bytes and streams, too', async () => {
    const clip = makeDemoClip();
    const facts = await probe({ data: clip, name: 'clip.wav' });
    expect(facts).toMatchObject({ format: 'wav', path: 'clip.wav', sizeBytes: clip.length });
    const path = join(folder(), 'clip.wav');
    writeFileSync(path, clip);
    const [fromBytes, fromStream, fromFile] = await Promise.all([
      peaks(clip),
      peaks(Readable.from([readFileSync(path)])),
      peaks(path),
    ]);
    expect(fromBytes).toEqual(fromFile);
    expect(fromStream).toEqual(fromFile);
  });
});
