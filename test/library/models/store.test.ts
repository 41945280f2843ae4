// The model store against a server on this machine that cuts connections, changes its mind, and lies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PieceWriter } from '../../../src/library/models/download.ts';
import { startMark } from '../../../src/library/core/machine/start-mark.ts';
import { checkModel, readModel } from '../../../src/library/models/installed.ts';
import { installModel, type InstallOptions } from '../../../src/library/models/install.ts';
import type { Model } from '../../../src/library/models/manifest.ts';
import { seeded } from '../../fixtures/media/signals.ts';
import { thrownBy } from '../../fixtures/media/media.ts';

const random = seeded(5);
const body = Buffer.from(Uint8Array.from({ length: 300_000 }, () => Math.floor(random() * 256)));
const second = Buffer.from(Uint8Array.from({ length: 5000 }, () => Math.floor(random() * 256)));
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface Asked {
  readonly url: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

let server: Server;
let base = '';
let asked: Asked[] = [];
let answer: (request: IncomingMessage, response: ServerResponse, count: number) => void;
let folder = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push({
      url: request.url ?? '',
      range: request.headers.range,
      ifRange: request.headers['if-range'] as string | undefined,
    });
    answer(request, response, asked.length);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const fresh = (): string => {
  asked = [];
  answer = serve(body);
  return (folder = mkdtempSync(join(tmpdir(), 'earshot-models-')));
};
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Sends bytes and ends the connection once they have reached the partial file, which then has `length` bytes. */
function cutOff(response: ServerResponse, sent: Buffer, length: number): void {
  response.write(sent);
  const look = setInterval(() => {
    const has = statSync(join(folder, '.partial', 'tiny-0.part'), { throwIfNoEntry: false })?.size ?? 0;
    if (has < length) return;
    clearInterval(look);
    response.destroy();
  }, 5);
}

/**
 * Serves bytes as a good server does: ranges, and If-Range by ETag. `cutAfter` ends the connection after so many bytes
 * of an answer.
 */
function serve(
  bytes: Buffer,
  { etag = '"one"', cutAfter }: { etag?: string; cutAfter?: (count: number) => number | null } = {},
) {
  return (request: IncomingMessage, response: ServerResponse, count: number): void => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const goesOn = from > 0 && (request.headers['if-range'] === undefined || request.headers['if-range'] === etag);
    const part = goesOn ? bytes.subarray(from) : bytes;
    response.writeHead(goesOn ? 206 : 200, {
      etag,
      'content-length': part.length,
      ...(goesOn ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
    });
    const cut = cutAfter?.(count) ?? null;
    if (cut === null) response.end(part);
    else cutOff(response, part.subarray(0, cut), (goesOn ? from : 0) + cut);
  };
}

const model = (files: Partial<Model['files'][number]>[] = [{}]): Model => ({
  id: 'tiny',
  title: 'Tiny',
  purpose: 'Nothing',
  licence: 'MIT',
  homepage: 'http://127.0.0.1/',
  sampleRatesHz: [48_000],
  files: files.map((file) => ({
    name: 'tiny.onnx',
    bytes: body.length,
    sha256: hashOf(body),
    url: `${base}/tiny.onnx`,
    ...file,
  })),
});

const install = (one: Model, options: Partial<InstallOptions> = {}) =>
  installModel(one, { folder, mirrors: [], ...options, download: { pausesMilliseconds: [1, 1], ...options.download } });

const installed = (name = 'tiny.onnx'): Buffer => readFileSync(join(folder, 'tiny', name));
const partials = (): string[] => readdirSync(join(folder, '.partial')).filter((name) => !name.endsWith('.lock'));

describe('downloading', () => {
  it('takes a file that comes in one piece, and tells how far it is', async () => {
    fresh();
    const told: number[] = [];
    expect(await install(model(), { onProgress: (fraction) => void told.push(fraction) })).toEqual({
      from: 'download',
    });
    expect(installed().equals(body)).toBe(true);
    expect(partials()).toEqual([]);
    expect(told.at(-1)).toBe(1);
    expect(told.every((x, i) => x >= (told[i - 1] ?? 0))).toBe(true);
    expect(asked).toHaveLength(1);
    // Nothing is fetched twice.
    expect(await install(model())).toEqual({ from: 'present' });
    expect(asked).toHaveLength(1);
  });

  it('goes on where a connection was cut, as often as it takes', async () => {
    fresh();
    answer = serve(body, { cutAfter: (count) => (count < 4 ? 80_000 : null) });
    await install(model());
    expect(installed().equals(body)).toBe(true);
    expect(asked).toHaveLength(4);
    expect(asked.map(({ ifRange }) => ifRange)).toEqual([undefined, '"one"', '"one"', '"one"']);
    for (const { range } of asked.slice(1)) expect(Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1])).toBeGreaterThan(0);
  });

  it('goes on in a later call', async () => {
    fresh();
    answer = serve(body, { cutAfter: () => 100_000 });
    const failed = await thrownBy(() => install(model(), { download: { pausesMilliseconds: [] } }));
    expect(failed).toMatchObject({ code: 'fetch_failed', retryable: true });
    expect(existsSync(join(folder, 'tiny'))).toBe(false);
    expect(partials()).toContain('tiny-0.part');
    asked = [];
    answer = serve(body);
    await install(model());
    expect(asked[0]?.range).toMatch(/^bytes=[1-9]\d*-$/);
    expect(installed().equals(body)).toBe(true);
    expect(partials()).toEqual([]);
  });

  it('begins anew when the server has another version by then', async () => {
    fresh();
    const other = Buffer.from(body.map((byte) => byte ^ 1));
    answer = serve(other, { cutAfter: () => 100_000 });
    await thrownBy(() => install(model(), { download: { pausesMilliseconds: [] } }));
    answer = serve(body, { etag: '"two"' });
    await install(model());
    expect(installed().equals(body)).toBe(true);
  });

  it('mends a file that was put together from two versions by a server without validators', async () => {
    fresh();
    const other = Buffer.from(body.map((byte) => byte ^ 1));
    const bare =
      (bytes: Buffer, cut: boolean) =>
      (request: IncomingMessage, response: ServerResponse): void => {
        const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
        response.writeHead(
          from > 0 ? 206 : 200,
          from > 0
            ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }
            : { 'content-length': bytes.length },
        );
        if (cut) cutOff(response, bytes.subarray(0, 100_000), 100_000);
        else response.end(bytes.subarray(from));
      };
    answer = bare(other, true);
    await thrownBy(() => install(model(), { download: { pausesMilliseconds: [] } }));
    answer = bare(body, false);
    const notes: string[] = [];
    await install(model(), { onNote: (text) => void notes.push(text) });
    expect(installed().equals(body)).toBe(true);
    expect(notes.join()).toContain('once more');
  });

  it('waits and asks again when the server is busy, not when it has nothing', async () => {
    fresh();
    answer = (request, response, count) =>
      count < 3 ? response.writeHead(503).end() : serve(body)(request, response, count);
    await install(model());
    expect(asked).toHaveLength(3);
    rmSync(join(folder, 'tiny'), { recursive: true });
    asked = [];
    answer = (_, response) => response.writeHead(404).end();
    expect(await thrownBy(() => install(model()))).toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      message: expect.stringContaining('404') as string,
    });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['longer', Buffer.concat([body, second])],
    ['shorter', body.subarray(0, 200_000)],
  ])('refuses a %s file', async (_, bytes) => {
    fresh();
    answer = serve(bytes);
    const failed = await thrownBy(() => install(model()));
    expect(failed.code).toBe('fetch_failed');
    expect(failed.message).toContain(`${bytes.length} bytes instead of ${body.length}`);
    expect(existsSync(join(folder, 'tiny'))).toBe(false);
  });

  it('refuses a file that never ends', async () => {
    fresh();
    answer = (_, response) => {
      response.writeHead(200);
      response.end(Buffer.concat([body, second]));
    };
    expect((await thrownBy(() => install(model()))).message).toContain(`more than ${body.length} bytes`);
  });

  it('refuses other bytes of the right length, and leaves nothing of them', async () => {
    fresh();
    answer = serve(Buffer.from(body.map((byte) => byte ^ 1)));
    const failed = await thrownBy(() => install(model()));
    expect(failed.code).toBe('file_invalid');
    expect(failed.message).toContain(hashOf(body));
    expect(existsSync(join(folder, 'tiny'))).toBe(false);
    expect(partials()).toEqual([]);
  });

  it('says that the disk is full, keeps what fits, and goes on from there', async () => {
    fresh();
    const small = async (path: string, flags: 'a' | 'w'): Promise<PieceWriter> => {
      const handle = await open(path, flags);
      let room = 120_000;
      return {
        async write(piece) {
          await handle.writeFile(piece.subarray(0, room));
          room -= piece.length;
          if (room < 0)
            throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', path });
        },
        close: () => handle.close(),
      };
    };
    const failed = await thrownBy(() => install(model(), { download: { openWriter: small } }));
    expect(failed).toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('no space') as string,
      nextAction: expect.stringContaining('Free space') as string,
    });
    expect(existsSync(join(folder, 'tiny'))).toBe(false);
    asked = [];
    await install(model());
    expect(asked[0]?.range).toBe('bytes=120000-');
    expect(installed().equals(body)).toBe(true);
  });

  it('stops at the signal and keeps what has come', async () => {
    fresh();
    const stop = new AbortController();
    answer = serve(body, { cutAfter: () => 50_000 });
    const thrown = await install(model(), {
      signal: stop.signal,
      onProgress: (fraction) => fraction > 0 && stop.abort(),
    }).catch((error: Error) => error);
    expect((thrown as Error).name).toBe('AbortError');
    expect(partials()).toContain('tiny-0.part');
    expect(existsSync(join(folder, 'tiny'))).toBe(false);
  });
});

describe('archives', () => {
  const pack = (files: Readonly<Record<string, Buffer>>): Buffer => {
    const from = join(folder, 'packing', 'tmp', 'export');
    mkdirSync(from, { recursive: true });
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(from, name), bytes);
    const packed = spawnSync('tar', ['-czf', '-', '-C', join(folder, 'packing'), 'tmp'], { maxBuffer: 1 << 24 });
    rmSync(join(folder, 'packing'), { recursive: true });
    return packed.stdout;
  };
  const archived = (): Model =>
    model([
      { name: 'a.onnx', url: `${base}/all.tar.gz`, archive: 'tar.gz' },
      { name: 'b.onnx', url: `${base}/all.tar.gz`, archive: 'tar.gz', bytes: second.length, sha256: hashOf(second) },
    ]);

  it('gives the files that are wanted, fetched once, and nothing else', async () => {
    fresh();
    answer = serve(pack({ 'config.ini': Buffer.from('[df]'), 'a.onnx': body, 'b.onnx': second }), {
      cutAfter: (count) => (count === 1 ? 100_000 : null),
    });
    await install(archived());
    expect(readdirSync(join(folder, 'tiny')).toSorted()).toEqual(['a.onnx', 'b.onnx']);
    expect(installed('a.onnx').equals(body) && installed('b.onnx').equals(second)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it.each<[string, () => Buffer, string]>([
    ['without one of the files', () => pack({ 'a.onnx': body }), 'b.onnx is not in it'],
    [
      'with another version',
      () => pack({ 'a.onnx': body, 'b.onnx': Buffer.from(second.map((x) => x ^ 1)) }),
      'SHA-256',
    ],
    [
      'with a larger file',
      () => pack({ 'a.onnx': Buffer.concat([body, second]), 'b.onnx': second }),
      'has 305000 bytes',
    ],
    ['that is cut off', () => pack({ 'a.onnx': body, 'b.onnx': second }).subarray(0, 200_000), 'damaged'],
    ['that ends in its first file', () => pack({ 'a.onnx': body, 'b.onnx': second }).subarray(0, 1000), 'damaged'],
    ['that is none', () => second, 'damaged'],
  ])('refuses one %s', async (_, make, message) => {
    fresh();
    answer = serve(make());
    const failed = await thrownBy(() => install(archived()));
    expect(failed.code).toBe('file_invalid');
    expect(failed.message).toContain(message);
    expect(existsSync(join(folder, 'tiny'))).toBe(false);
    expect(partials()).toEqual([]);
  });
});

describe('mirrors and what is there already', () => {
  const mirror = (bytes: Buffer): string => {
    const path = join(folder, 'mirror');
    mkdirSync(join(path, 'tiny'), { recursive: true });
    writeFileSync(join(path, 'tiny', 'tiny.onnx'), bytes);
    return path;
  };

  it('a mirror that has it is used without asking the server', async () => {
    fresh();
    expect(await install(model(), { mirrors: [join(folder, 'no-such-folder'), mirror(body)] })).toEqual({
      from: 'mirror',
    });
    expect(installed().equals(body)).toBe(true);
    expect(asked).toEqual([]);
  });

  it('a wrong copy in a mirror is passed over, and said', async () => {
    fresh();
    const notes: string[] = [];
    expect(
      await install(model(), {
        mirrors: [mirror(Buffer.from(body.map((x) => x ^ 1)))],
        onNote: (text) => void notes.push(text),
      }),
    ).toEqual({ from: 'download' });
    expect(notes[0]).toContain('skipped');
    expect(installed().equals(body)).toBe(true);
  });

  it('a damaged install is replaced, and stays when the replacement fails', async () => {
    fresh();
    mkdirSync(join(folder, 'tiny'));
    writeFileSync(join(folder, 'tiny', 'tiny.onnx'), second);
    answer = (_, response) => response.writeHead(404).end();
    await thrownBy(() => install(model()));
    expect(installed().equals(second)).toBe(true);
    expect((await checkModel(model(), folder, 'hash')).problems).toEqual([
      `tiny.onnx has ${second.length} bytes instead of ${body.length}`,
    ]);
    answer = serve(body);
    await install(model());
    expect(installed().equals(body)).toBe(true);
    expect(readdirSync(folder).toSorted()).toEqual(['.partial', 'tiny']);
  });

  it('two installs of one model do not meet; the lock of a dead process is taken over', async () => {
    fresh();
    mkdirSync(join(folder, '.partial'));
    const lock = join(folder, '.partial', 'tiny.lock');
    writeFileSync(lock, String(process.ppid));
    expect((await thrownBy(() => install(model()))).code).toBe('conflict');
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(lock, String(gone));
    await install(model());
    expect(installed().equals(body)).toBe(true);
  });

  it.runIf(process.platform === 'linux')('a lock whose pid another process has by now is taken over', async () => {
    fresh();
    mkdirSync(join(folder, '.partial'));
    const lock = join(folder, '.partial', 'tiny.lock');
    writeFileSync(lock, `${process.ppid} ${startMark(process.ppid)}`);
    expect((await thrownBy(() => install(model()))).code).toBe('conflict');
    writeFileSync(lock, `${process.ppid} 1`);
    await install(model());
    expect(installed().equals(body)).toBe(true);
  });
});

describe('a model that runs ask for', () => {
  it('is missing, or broken with a word on each file', async () => {
    fresh();
    expect(await readModel('gtcrn', [folder])).toBeNull();
    mkdirSync(join(folder, 'deepfilternet3'));
    writeFileSync(join(folder, 'deepfilternet3', 'enc.onnx'), second);
    const thrown = await thrownBy(() => readModel('deepfilternet3', [folder]));
    expect(thrown).toMatchObject({
      code: 'tool_unavailable',
      nextAction: expect.stringContaining('earshot models install deepfilternet3') as string,
    });
    expect(thrown.message).toMatch(/deepfilternet3.*enc\.onnx has 5000 bytes.*erb_dec\.onnx is missing/);
  });
});
