// A watched bucket: what is taken, where it goes, what a watcher leaves that was killed at any point, and two at once.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Inbox, Results } from '../../../src/library/contract/watched-places.ts';
import { folderInbox, folderResults } from '../../../src/library/runtime/chains/watch-folder.ts';
import { watch, type WatchCounts, type WatchEvent, type WatchWork } from '../../../src/library/runtime/chains/watch.ts';
import { createWatchedObjects, type WatchedObjects } from '../../../src/service/adapters/s3/watched-objects.ts';
import { bucketInbox, bucketResults } from '../../../src/service/commands/watched-bucket.ts';
import { refuseWithin } from '../../../src/service/commands/watched-places.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { tone } from '../../fixtures/media/signals.ts';
import { seeded } from '../../fixtures/random.ts';
import { slow } from '../../fixtures/rounds.ts';
import { needS3Program, s3Credentials, s3Region, startS3Server } from '../../fixtures/s3/server.ts';
import { type SmallS3, startSmallS3 } from '../../fixtures/s3/small-server.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { notingEngine } from '../../library/runtime/chains/noting-engine.ts';

const folder = temporaryFolder('earshot-watched-bucket-');
let server: SmallS3;
beforeAll(async () => void (server = await startSmallS3()));
afterAll(() => server.stop());

const objectsAt = (endpoint: string, bucket = 'bucket', copyBytes?: number): WatchedObjects =>
  createWatchedObjects({ bucket, endpoint, region: s3Region, credentials: s3Credentials }, copyBytes);
const address = (key: string): string => `s3://bucket/${key}`;
const mixing = (files: number) => ({ name: 'loud', steps: [{ tool: files === 1 ? 'loudness' : 'mix' }] });

let count = 0;
/** A part of the bucket of one test. */
function places(objects = objectsAt(server.endpoint), staleMs?: number) {
  const base = `${(count += 1)}/`;
  return {
    inbox: bucketInbox(objects, `${base}inbox/`, staleMs),
    results: bucketResults(objects, `${base}finished/`, address),
    fall: (name: string, body = name): void => server.put(`bucket/${base}inbox/${name}`, body),
    below: (part: string): string[] => server.below(`bucket/${base}${part}/`),
    at: (key: string): string => server.kept.get(`bucket/${base}${key}`)?.body.toString() ?? '',
    base,
  };
}

const once = (inbox: Inbox, results: Results, engine = notingEngine(folder), more: Partial<WatchWork> = {}) =>
  watch(engine, inbox, results, { chainFor: mixing, settleSeconds: 0, once: true, ...more });

it('takes objects and folders of tracks, puts results and recordings in their places', async () => {
  const { inbox, results, fall, below, base } = places();
  for (const name of ['a b&ü.wav', 'show/host.wav', 'show/guest.wav', 'late.wav.part', '.hidden.wav', 'empty/'])
    fall(name);
  const events: WatchEvent[] = [];
  const engine = notingEngine(folder);
  const counts = await once(inbox, results, engine, { onEvent: (event) => events.push(event) });
  expect(counts).toEqual({ done: 2, failed: 0 });
  expect(below('finished')).toEqual(['a b&ü.loud.wav', 'show.loud.wav']);
  expect(below('inbox')).toEqual(
    ['.hidden.wav', 'done/a b&ü.wav', 'done/show/guest.wav', 'done/show/host.wav', 'empty/', 'late.wav.part'].sort(),
  );
  expect(engine.calls.map(({ tool }) => tool)).toEqual(['adjust_loudness', 'mix_tracks']);
  expect(events.flatMap((event) => (event.type === 'done' ? event.outputs : []))).toEqual(
    ['a b&ü', 'show'].map((name) => address(`${base}finished/${name}.loud.wav`)),
  );
  // The same name again, while the first result lies there.
  fall('a b&ü.wav');
  await once(inbox, results);
  expect(below('finished')).toEqual(['a b&ü.loud-2.wav', 'a b&ü.loud.wav', 'show.loud.wav']);
  expect(below('inbox')).toContain('done/a b&ü-2.wav');
});

it('sets a failure aside with its reason beside it, and goes on', async () => {
  const { inbox, results, fall, below, at } = places();
  for (const name of ['a.wav', 'b/one.wav', 'b/two.wav']) fall(name);
  expect(await once(inbox, results, notingEngine(folder, 'adjust_loudness'))).toEqual({ done: 1, failed: 1 });
  expect(below('inbox')).toEqual(['done/b/one.wav', 'done/b/two.wav', 'failed/a.wav', 'failed/a.wav.txt']);
  expect(at('inbox/failed/a.wav.txt')).toContain('no_audio: Step loudness: There is no sound');
  expect(below('finished')).toEqual(['b.loud.wav']);
});

it('waits for what still changes, and gives what is at work back at its signal', async () => {
  const { inbox, results, fall, below } = places();
  fall('a.wav');
  const stop = new AbortController();
  const engine = notingEngine(folder);
  const watching = once(inbox, results, engine, { settleSeconds: 0.4, signal: stop.signal }).catch(
    (thrown: unknown) => thrown,
  );
  for (let round = 0; round < 4; round += 1) {
    await wait(150);
    fall('a.wav', `round ${round}`);
    expect(engine.calls).toEqual([]);
  }
  stop.abort();
  expect(await watching).toMatchObject({ name: 'AbortError' });
  expect([below('inbox'), below('finished')]).toEqual([['a.wav'], []]);
});

/** The object store of a watcher that is killed before its write of this number, with all that it holds. */
function killedBefore(write: number): WatchedObjects {
  let left = write;
  const objects = objectsAt(server.endpoint);
  const dying =
    <Args extends unknown[], Answer>(method: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      left -= 1;
      if (left < 0) throw Object.assign(new Error('killed'), { code: 'killed', details: { outage: true } });
      return method(...args);
    };
  return {
    ...objects,
    writeText: dying(objects.writeText),
    upload: dying(objects.upload),
    copy: dying(objects.copy),
    remove: dying(objects.remove),
  };
}

/** Claims are of a process that has ended from now on. */
function bury(base: string): void {
  const { pid } = spawnSync(process.execPath, ['--version']);
  for (const [key, { body }] of server.kept) {
    if (!key.startsWith(`bucket/${base}inbox/.earshot-claims/`) || !key.endsWith('.json')) continue;
    const text = JSON.parse(body.toString()) as { owner: object };
    server.put(key, JSON.stringify({ ...text, owner: { ...text.owner, pid } }));
  }
}

it('does a recording once although its watcher is killed before any of its writes', slow, async () => {
  const transcript = () => ({ name: 'text', steps: [{ tool: 'transcribe', formats: ['srt', 'txt'] }] });
  let write = 3;
  for (let wasWhole = false; !wasWhole; write += 1) {
    const { base, results, fall, below, inbox } = places();
    const dying = killedBefore(write);
    const first = bucketInbox(dying, `${base}inbox/`);
    fall('talk.wav');
    const watched = { chainFor: transcript };
    const counts: WatchCounts | null = await once(
      first,
      bucketResults(dying, `${base}finished/`, address),
      notingEngine(folder),
      watched,
    ).catch(() => null);
    wasWhole = counts !== null;
    bury(base);
    await once(inbox, results, notingEngine(folder), watched);
    expect({
      write,
      inbox: below('inbox').filter((key) => !key.includes('/probe-')),
      finished: below('finished'),
    }).toEqual({ write, inbox: ['done/talk.wav'], finished: ['talk.text.srt', 'talk.text.txt'] });
  }
  // Claim, its files, name, two results, their mark, settled, copy, four removals.
  expect(write).toBeGreaterThan(13);
});

it('takes what another machine had claimed when it is not renewed, and leaves what is', async () => {
  const { inbox, results, fall, below, base } = places(objectsAt(server.endpoint), 400);
  const claim = (name: string, beat: number): void => {
    fall(`${name}.wav`, name);
    const { etag } = server.kept.get(`bucket/${base}inbox/${name}.wav`)!;
    const files = [{ key: `${base}inbox/${name}.wav`, sizeBytes: 4, etag }];
    const owner = { machine: 'another', pid: 1, start: '1' };
    const text = { id: `id${name}`, name: `${name}.wav`, owner, beat, files, settled: null };
    server.put(`bucket/${base}inbox/.earshot-claims/${name}.wav.json`, JSON.stringify(text));
  };
  claim('gone', 1);
  claim('alive', 1);
  let beat = 1;
  const beats = setInterval(() => claim('alive', (beat += 1)), 50);
  try {
    expect(await once(inbox, results)).toEqual({ done: 1, failed: 0 });
  } finally {
    clearInterval(beats);
  }
  expect(below('finished')).toEqual(['gone.loud.wav']);
  expect(below('inbox')).toContain('alive.wav');
});

it('stops where another watcher took its recording over, and leaves the rest to that one', async () => {
  const { inbox, results, fall, below, base } = places(objectsAt(server.endpoint), 200);
  fall('talk.wav');
  const engine = notingEngine(folder);
  const slowly: typeof engine = Object.assign(Object.create(engine) as typeof engine, {
    async run(...args: Parameters<typeof engine.run>) {
      const key = `bucket/${base}inbox/.earshot-claims/talk.wav.json`;
      const text = JSON.parse(server.kept.get(key)!.body.toString()) as object;
      server.put(key, JSON.stringify({ ...text, owner: { machine: 'another', pid: 1, start: '1' } }));
      const { signal } = (args[3] ?? {}) as { signal?: AbortSignal };
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
      return engine.run(...args);
    },
  });
  // It waits for the other, which does not renew its claim, and takes it back.
  const counts = await once(inbox, results, slowly, { onEvent: () => Object.assign(slowly, { run: engine.run }) });
  expect(counts).toEqual({ done: 1, failed: 0 });
  expect(below('finished')).toEqual(['talk.loud.wav']);
  expect(below('inbox')).toEqual(['done/talk.wav']);
});

it('two watchers lose no recording, and do none twice', async () => {
  const { fall, below, base } = places();
  for (let n = 0; n < 6; n += 1) fall(`${n}.wav`);
  const counts = await Promise.all(
    [1, 2].map(() => {
      const objects = objectsAt(server.endpoint);
      return once(bucketInbox(objects, `${base}inbox/`), bucketResults(objects, `${base}finished/`, address));
    }),
  );
  expect(counts.reduce((sum, { done }) => sum + done, 0)).toBe(6);
  expect(below('finished')).toHaveLength(6);
  expect(below('inbox')).toHaveLength(6);
});

it('folders and buckets go together, in both directions', async () => {
  const { inbox, results, fall, below } = places();
  const local = mkdtempSync(join(folder, 'local-'));
  for (const name of ['in', 'out']) mkdirSync(join(local, name));
  writeFileSync(join(local, 'in', 'a.wav'), 'a');
  await once(folderInbox(join(local, 'in')), results);
  expect(below('finished')).toEqual(['a.loud.wav']);
  fall('b.wav');
  await once(inbox, folderResults(join(local, 'out')));
  expect(readdirSync(join(local, 'out'))).toEqual(['b.loud.wav']);
  expect(readdirSync(join(local, 'in', 'done'))).toEqual(['a.wav']);
});

it('refuses results in the inbox, buckets that are not there, and stores without conditions', async () => {
  for (const finished of ['s3://b/in', 's3://b/in/out/', 'S3://b/in/'])
    expect(() => refuseWithin('s3://b/in', finished)).toThrow('outside of the inbox');
  refuseWithin('s3://b/in', 's3://b/inner/');
  const none = objectsAt(server.endpoint, 'none');
  await expect(bucketInbox(none, '').open()).rejects.toMatchObject({ code: 'not_found' });
  await expect(bucketResults(none, '', address).open()).rejects.toMatchObject({ code: 'not_found' });
  const old = await startSmallS3({ ignoresConditions: true });
  await expect(bucketInbox(objectsAt(old.endpoint), 'in/').open()).rejects.toMatchObject({ code: 'bad_request' });
  await old.stop();
});

it('copies what is larger than one request may be in parts', async () => {
  server.put('bucket/large', Buffer.from('0123456789abc'));
  const objects = objectsAt(server.endpoint, 'bucket', 5);
  const { object } = (await objects.stat('large'))!;
  expect(await objects.copy(object, 'large-2')).toBe(true);
  expect(server.kept.get('bucket/large-2')!.body.toString()).toBe('0123456789abc');
  expect(await objects.copy({ ...object, etag: '"0"' }, 'large-3')).toBe(false);
});

it('does each recording of a bucket once although watchers are killed', slow, async () => {
  const seed = Number(process.env['EARSHOT_SEED'] ?? 7);
  const [files, kills] = [Number(process.env['EARSHOT_FILES'] ?? 4), Number(process.env['EARSHOT_KILLS'] ?? 3)];
  console.log(`seed ${seed}, ${files} files, ${kills} kills`);
  const random = seeded(seed);
  const { base, below, at } = places();
  const wav = readFileSync(writeWav(join(folder, 'tone.wav'), [tone(48_000, 48_000, 440)], 48_000));
  for (let n = 0; n < files; n += 1) server.put(`bucket/${base}inbox/talk-${n}.wav`, wav);
  const env = {
    ...process.env,
    EARSHOT_S3_ENDPOINT: server.endpoint,
    EARSHOT_S3_ACCESS_KEY_ID: 'id',
    EARSHOT_S3_SECRET_ACCESS_KEY: 'secret',
  };
  const program = new URL('../../../src/cli/main.ts', import.meta.url).pathname;
  const flags = ['--run', 'convert', '-o', `s3://bucket/${base}finished`, '--once', '--settle', '0'];
  for (let kill = 0; kill <= kills; kill += 1) {
    const child = spawn(process.execPath, [program, 'watch', `s3://bucket/${base}inbox`, ...flags], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (kill < kills) {
      // A watcher that has claimed something is killed soon after.
      const isAtWork = (): boolean => below('inbox/.earshot-claims').some((name) => name.endsWith('.json'));
      while (child.exitCode === null && !isAtWork()) await wait(10);
      await wait(random() * 900);
      child.kill('SIGKILL');
    }
    await ended;
  }
  const names = Array.from({ length: files }, (_, n) => `talk-${n}`).sort();
  expect(below('finished')).toEqual(names.map((name) => `${name}.convert.mp3`));
  expect(below('inbox').filter((key) => !key.includes('/probe-'))).toEqual(names.map((name) => `done/${name}.wav`));
  expect(at(`finished/${names[0]}.convert.mp3`).length).toBeGreaterThan(5000);
});

const program = needS3Program();
describe.skipIf(program === null)('on a real server', () => {
  it('claims, commits and moves as on the small one', async () => {
    const real = await startS3Server(program as string);
    try {
      const bucket = await real.makeBucket();
      for (const Key of ['in/a b&ü.wav', 'in/show/one.wav', 'in/show/two.wav'])
        await real.client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }));
      const objects = objectsAt(real.endpoint, bucket);
      const watchers = [1, 2].map(() =>
        once(bucketInbox(objects, 'in/'), bucketResults(objects, 'out/', address), notingEngine(folder)),
      );
      const counts = await Promise.all(watchers);
      expect(counts.reduce((sum, { done }) => sum + done, 0)).toBe(2);
      const keys = async (prefix: string) => (await objects.list(prefix)).objects.map(({ key }) => key);
      expect(await keys('out/')).toEqual(['out/a b&ü.loud.wav', 'out/show.loud.wav']);
      expect([await keys('in/'), await keys('in/.earshot-claims/')]).toEqual([[], []]);
      expect(await keys('in/done/show/')).toEqual(['in/done/show/one.wav', 'in/done/show/two.wav']);
    } finally {
      await real.stop();
    }
  });
});
