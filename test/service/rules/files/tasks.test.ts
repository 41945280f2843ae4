import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { AbortError } from '../../../../src/library/core/abort.ts';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import type { MediaWork } from '../../../../src/library/contract/media-work.ts';
import type { Account } from '../../../../src/service/rules/accounts/account.ts';
import { inPieces, numbered } from '../../../conformance/object-store.ts';
import { until } from '../../../fixtures/until.ts';
import { bins, never, sound, tokenOf, type FilesHost, type FilesHostOptions, useFilesHosts } from './host.ts';
import { slow } from '../../../fixtures/rounds.ts';

const { open, openAlone } = useFilesHosts();

async function uploaded(host: FilesHost, filename = 'a.wav'): Promise<{ owner: Account; id: string }> {
  const owner = await host.account();
  const { file, upload } = await host.files.create(owner, { filename, sizeBytes: 1000 });
  await host.files.acceptUpload(tokenOf(upload?.url), inPieces(numbered(1000)), 1000, never);
  return { owner, id: file.id };
}

describe('the check', () => {
  const checking = (check: MediaWork['check'], env: FilesHostOptions['env'] = {}): Promise<FilesHost> =>
    open({ media: { check }, ...(env === undefined ? {} : { env }) });

  test('sees the bytes under the names that the client gave', async () => {
    const seen: unknown[] = [];
    const host = await checking((path, filename, contentType) => {
      seen.push(filename, contentType, path.startsWith(host.folder));
      return Promise.resolve(sound);
    });
    const { owner, id } = await uploaded(host, 'talk.mp3');
    await host.tasks.checkFile(id, never);
    expect(seen).toEqual(['talk.mp3', 'audio/mpeg', true]);
    expect(await host.files.get(owner, id, 0)).toMatchObject({
      status: 'ready',
      contentType: 'audio/wav',
      format: 'wav',
      durationSeconds: 12.5,
      hasVideo: false,
      hasAudio: true,
      media: sound.media,
      error: null,
    });
    await host.tasks.checkFile(id, never);
    await host.tasks.checkFile('file_none', never);
    expect(seen).toHaveLength(3);
  });

  test('a bad file becomes invalid, says why, and its bytes go', async () => {
    const error = { code: 'unsupported_format', message: 'Expected audio or video but received a picture' } as const;
    const host = await checking(() => Promise.resolve({ ok: false, error }));
    const { owner, id } = await uploaded(host);
    await host.tasks.checkFile(id, never);
    expect(await host.files.get(owner, id, 0)).toMatchObject({ status: 'invalid', error, objectKey: null });
    await expect(host.files.downloadLink(owner, id)).rejects.toMatchObject({
      code: 'file_invalid',
      message: expect.stringContaining(error.message),
    });
    expect(host.onDisk()).toEqual([]);
  });

  test('a file that is too long is invalid', async () => {
    const host = await checking(() => Promise.resolve({ ...sound, durationSeconds: 12.6 }), {
      EARSHOT_MAX_SECONDS: '12.5',
    });
    const { owner, id } = await uploaded(host);
    await host.tasks.checkFile(id, never);
    expect((await host.files.get(owner, id, 0)).error).toEqual({
      code: 'file_too_long',
      message: 'Expected at most 12.5 s but the file is 13 s long',
    });
    const just = await checking(() => Promise.resolve(sound), { EARSHOT_MAX_SECONDS: '12.5' });
    const other = await uploaded(just);
    await just.tasks.checkFile(other.id, never);
    expect((await just.files.get(other.owner, other.id, 0)).status).toBe('ready');
  });

  test('trouble of ours is tried again once, and then ends too', async () => {
    let calls = 0;
    const passing = await checking(() => (calls++ === 0 ? Promise.reject(new Error('EIO')) : Promise.resolve(sound)));
    const first = await uploaded(passing);
    await passing.tasks.checkFile(first.id, never);
    expect((await passing.files.get(first.owner, first.id, 0)).status).toBe('ready');
    const lasting = await checking(() =>
      Promise.reject(new EarshotError('internal_error', 'crashed at /secret/path', { details: { crashed: true } })),
    );
    const second = await uploaded(lasting);
    await lasting.tasks.checkFile(second.id, never);
    const { status, error } = await lasting.files.get(second.owner, second.id, 0);
    expect([status, error?.code]).toEqual(['invalid', 'internal_error']);
    expect(error?.message).not.toContain('secret');
  });

  test('a shutdown leaves the file to the next delivery', async () => {
    const shutdown = new AbortController();
    const host = await checking(
      (_path, _name, _type, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new AbortError()));
          shutdown.abort();
        }),
    );
    const { owner, id } = await uploaded(host);
    await expect(host.tasks.checkFile(id, shutdown.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect((await host.files.get(owner, id, 0)).status).toBe('processing');
  });

  test('a file that is deleted meanwhile stays deleted', async () => {
    const host = await checking(async () => {
      await host.files.remove(owner, id);
      return sound;
    });
    const { owner, id } = await uploaded(host);
    await host.tasks.checkFile(id, never);
    expect((await host.files.get(owner, id, 0)).status).toBe('deleted');
    expect(host.onDisk()).toEqual([]);
  });
});

describe('many checks', () => {
  test('are one at a time for each account, and one that is deleted ends', slow, async () => {
    const running: string[] = [];
    const most = new Map<string, number>();
    const ends = new Map<string, () => void>();
    const aborted: string[] = [];
    const host = await open({
      media: {
        async check(_path, filename, _type, signal, owner) {
          running.push(owner ?? '');
          most.set(owner ?? '', Math.max(most.get(owner ?? '') ?? 0, running.filter((each) => each === owner).length));
          await new Promise<void>((resolve, reject) => {
            ends.set(filename, resolve);
            signal.addEventListener('abort', () => {
              aborted.push(filename);
              running.splice(running.indexOf(owner ?? ''), 1);
              reject(new AbortError());
            });
          });
          running.splice(running.indexOf(owner ?? ''), 1);
          return sound;
        },
      },
    });
    const owner = await host.account();
    const upload = async (account: Account, filename: string): Promise<string> => {
      const { file, upload: ticket } = await host.files.create(account, { filename, sizeBytes: 10 });
      await host.files.acceptUpload(tokenOf(ticket?.url), inPieces(numbered(10)), 10, never);
      return file.id;
    };
    const ids = [await upload(owner, 'a.wav'), await upload(owner, 'b.wav'), await upload(owner, 'c.wav')];
    const newcomer = await host.account();
    const other = await upload(newcomer, 'd.wav');
    const checks = Promise.all([...ids, other].map((id) => host.tasks.checkFile(id, never)));
    await until('both accounts have one', () => running.length === 2);
    expect(ends.has('d.wav')).toBe(true);
    ends.get('d.wav')?.();
    ends.get('a.wav')?.();
    await until('the next one starts', () => ends.has('b.wav'));
    // Nobody needs it any more.
    await host.files.remove(owner, ids[1] ?? '');
    await until('the last one starts', () => ends.has('c.wav'));
    expect(aborted).toEqual(['b.wav']);
    ends.get('c.wav')?.();
    await checks;
    expect([...most.values()]).toEqual([1, 1]);
    const statuses = await Promise.all([...ids, other].map(async (id) => (await host.stores.files.get(id))?.status));
    expect(statuses).toEqual(['ready', 'deleted', 'ready', 'ready']);
  });
});

describe('what an account may keep', () => {
  test('is bounded in files and in bytes, also when they come at the same time; deleting makes room', async () => {
    const host = await open({ env: { EARSHOT_ACCOUNT_FILES: '3', EARSHOT_ACCOUNT_BYTES: '1000' } });
    const owner = await host.account();
    const create = (sizeBytes: number) => host.files.create(owner, { filename: 'a.wav', sizeBytes });
    await expect(create(1001)).rejects.toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 'maxKeptBytes', expected: 1000, received: 1001 },
    });
    const made = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(create));
    const refused = made.filter((each) => each.status === 'rejected');
    expect(refused).toHaveLength(3);
    for (const { reason } of refused)
      expect(reason).toMatchObject({
        code: 'limit_exceeded',
        details: { limit: 'maxFiles', expected: 3, received: 3 },
      });
    const first = made.find((each) => each.status === 'fulfilled');
    await host.files.remove(owner, first?.value.file.id ?? '');
    expect((await create(10)).file.sizeBytes).toBe(10);
  });

  test('is bounded where a size becomes known only with the name, also of two at the same time', async () => {
    const host = await open({ env: { EARSHOT_ACCOUNT_BYTES: '1000' } });
    const owner = await host.account();
    const [one, two, three] = await Promise.all(
      [1, 2, 3].map(async () => (await host.files.create(owner, {})).file.id),
    );
    const name = (id = '', sizeBytes = 0) => host.files.name(owner, id, { filename: 'a.wav', sizeBytes });
    await expect(name(one, 1001)).rejects.toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 'maxKeptBytes', expected: 1000, received: 1001 },
    });
    // It waits for a name as before.
    expect(await host.stores.files.get(one ?? '')).toMatchObject({ sizeBytes: null, upload: null, filename: 'upload' });
    const both = await Promise.allSettled([name(one, 600), name(two, 600)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await name(three, 400)).file.sizeBytes).toBe(400);
  });
});

describe('peaks', () => {
  const ready = async (
    opener = open,
    options: FilesHostOptions = {},
  ): Promise<
    FilesHost & {
      owner: Account;
      id: string;
      ask(wanted?: Partial<Parameters<FilesHost['peaks']['get']>[2]>): ReturnType<FilesHost['peaks']['get']>;
    }
  > => {
    const host = await opener(options);
    const { owner, id } = await uploaded(host);
    await host.tasks.checkFile(id, never);
    return {
      ...host,
      owner,
      id,
      ask: (wanted) => host.peaks.get(owner, id, { waitSeconds: 0, level: null, first: 0, count: 4096, ...wanted }),
    };
  };

  test('are begun by the first request, waited for, and read in windows', async () => {
    const { ask, tasks, id, stores } = await ready(openAlone);
    const processing = { fileId: id, status: 'processing', durationSeconds: null, peak: null, levels: [], bins: null };
    expect(await ask()).toEqual(processing);
    expect(await ask({ level: 5 })).toEqual(processing);
    expect(await stores.queue.depth()).toMatchObject({ peaks: 1 });
    const waiting = ask({ waitSeconds: 20 });
    await tasks.makePeaks(id, never);
    expect(await waiting).toEqual({
      fileId: id,
      status: 'ready',
      durationSeconds: 12.5,
      peak: 0.5,
      levels: [
        { perSecond: 5, count: 63 },
        { perSecond: 50, count: 625 },
        { perSecond: 500, count: 6250 },
      ],
      bins: null,
    });
    for (const [level, first, count, offset, there] of [
      [5, 0, 4096, 0, 63],
      [5, 62, 1, 124, 1],
      [50, 0, 4096, 126, 625],
      [500, 100, 200, 1576, 200],
      [500, 6249, 16_384, 1376 + 12_498, 1],
    ] as const) {
      const { bins: window } = await ask({ level, first, count });
      expect(window).toMatchObject({ level, first, count: there });
      expect(window?.data.equals(bins.subarray(offset, offset + 2 * there))).toBe(true);
    }
    expect((await ask({ level: 5, first: 63, count: 1 })).bins).toEqual({
      level: 5,
      first: 63,
      count: 0,
      data: Buffer.alloc(0),
    });
    expect((await ask({ level: 5, first: 1_000_000, count: 1 })).bins?.count).toBe(0);
    await tasks.makePeaks(id, never);
    expect((await ask()).status).toBe('ready');
  });

  test('made twice at once are kept once, and go with the file', async () => {
    const { ask, tasks, id, owner, files, onDisk } = await ready();
    await ask();
    await Promise.all([tasks.makePeaks(id, never), tasks.makePeaks(id, never)]);
    expect((await ask({ level: 5 })).bins?.data.equals(bins.subarray(0, 126))).toBe(true);
    expect(onDisk().filter((path) => path.includes('peaks'))).toHaveLength(1);
    await files.remove(owner, id);
    expect(onDisk()).toEqual([]);
    await expect(ask()).rejects.toMatchObject({ code: 'file_expired' });
  });

  test('none without sound', async () => {
    const { ask, tasks, id } = await ready(open, { media: { peaks: () => Promise.resolve(null) } });
    await ask();
    await tasks.makePeaks(id, never);
    expect(await ask({ level: 50 })).toEqual({
      fileId: id,
      status: 'none',
      durationSeconds: null,
      peak: null,
      levels: [],
      bins: null,
    });
  });

  test('that cannot be made are an error, and the next request tries anew', async () => {
    let calls = 0;
    const { ask, tasks, id, onDisk } = await ready(open, {
      media: { peaks: () => Promise.reject(new Error(`crash ${(calls += 1)}`)) },
    });
    const waiting = expect(ask({ waitSeconds: 600 })).rejects.toMatchObject({
      code: 'internal_error',
      retryable: true,
    });
    await until('it was asked for', async () => (await ask()).status === 'processing');
    await tasks.makePeaks(id, never);
    await waiting;
    expect(calls).toBe(2);
    expect((await ask()).status).toBe('processing');
    expect(onDisk()).toHaveLength(1);
  });

  test('text has none, nor has a file that is not ready', async () => {
    const text = {
      ok: true,
      contentType: 'text/plain',
      format: 'txt',
      durationSeconds: null,
      hasVideo: false,
      hasAudio: false,
      media: null,
    } as const;
    const { ask } = await ready(open, { media: { check: () => Promise.resolve(text) } });
    await expect(ask()).rejects.toMatchObject({ code: 'wrong_file_type' });
    const host = await open();
    const { owner, id } = await uploaded(host);
    await expect(host.peaks.get(owner, id, { waitSeconds: 0, level: null, first: 0, count: 1 })).rejects.toMatchObject({
      code: 'file_not_ready',
    });
    await expect(
      host.peaks.get(await host.account(), id, { waitSeconds: 0, level: null, first: 0, count: 1 }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the sweeper', () => {
  test('deletes what has expired: bytes, waveform, parts under way, record', async () => {
    const host = await openAlone();
    const { owner, id } = await uploaded(host);
    await host.tasks.checkFile(id, never);
    await host.peaks.get(owner, id, { waitSeconds: 0, level: null, first: 0, count: 1 });
    await host.tasks.makePeaks(id, never);
    const { file, multipart } = await host.files.create(owner, { filename: 'a.wav', sizeBytes: 20_000_000 });
    await host.files.acceptPart(
      tokenOf(multipart?.completeUrl),
      2,
      Readable.from([Buffer.alloc(20_000_000 - 16 * 1024 * 1024)]),
      null,
      never,
    );
    expect(await host.tasks.sweep()).toEqual({ expired: 0, leftovers: 0 });
    expect(host.onDisk()).toHaveLength(4);
    const fresh = await uploaded(host);
    await host.stores.files.update(fresh.id, ['processing'], { expiresAt: new Date(Date.now() + 2 * 86_400_000) });
    host.passSeconds(86_401);
    // Lists do not wait for the sweep.
    expect((await host.files.list(owner, { kind: null }, { cursor: null, limit: 10 })).items).toEqual([]);
    expect(await host.tasks.sweep()).toMatchObject({ expired: 2 });
    for (const gone of [id, file.id]) {
      expect(await host.stores.files.get(gone)).toMatchObject({ status: 'deleted', objectKey: null, peaksKey: null });
      await expect(host.files.get(owner, gone, 0)).rejects.toMatchObject({ code: 'file_expired' });
    }
    expect((await host.files.list(owner, { kind: null }, { cursor: null, limit: 10 })).items).toHaveLength(0);
    expect((await host.stores.files.get(fresh.id))?.status).toBe('processing');
    expect(host.onDisk()).toHaveLength(1);
    // For an hour a late client learns why; then there is nothing left to tell it from.
    // The clock runs on while the test does, a minute and more on a busy machine.
    host.passSeconds(2700);
    expect(await host.tasks.sweep()).toMatchObject({ expired: 0 });
    await expect(host.files.get(owner, id, 0)).rejects.toMatchObject({ code: 'file_expired' });
    host.passSeconds(900);
    await host.tasks.sweep();
    expect(await host.stores.files.getMany([id, file.id])).toEqual([null, null]);
    await expect(host.files.get(owner, id, 0)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('clears what dead uploads and workers left once no link to them can work, and nothing else', async () => {
    const host = await openAlone({ env: { EARSHOT_UPLOAD_SECONDS: '600' } });
    const { id } = await uploaded(host);
    await host.objects.write('originals/unknown', Readable.from(['abc']), { maxBytes: 10 });
    await host.objects.writePart(
      { key: 'originals/dead', uploadId: await host.objects.beginUpload('originals/dead') },
      { number: 1, offsetBytes: 0, exactBytes: 3 },
      Readable.from(['abc']),
    );
    const drawing = join(host.folder, 'work', 'peaks-left');
    mkdirSync(drawing, { recursive: true });
    mkdirSync(join(host.folder, 'work', 'run-of-another'));
    const past = new Date(Date.now() - 86_400_000);
    for (const name of ['peaks-left', 'run-of-another']) utimesSync(join(host.folder, 'work', name), past, past);
    expect(await host.tasks.sweepHere()).toBe(1);
    expect(await host.tasks.sweep()).toEqual({ expired: 0, leftovers: 0 });
    host.passSeconds(601 + 3600);
    expect(await host.tasks.sweep()).toEqual({ expired: 0, leftovers: 2 });
    expect(host.onDisk()).toHaveLength(1);
    expect((await host.stores.files.get(id))?.objectKey).toEqual(expect.any(String));
    expect(host.onDisk()[0]).toContain((await host.stores.files.get(id))?.objectKey);
  });
});
