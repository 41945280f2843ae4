// The store on S3, against a real server.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ListObjectVersionsCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNoRoomToKeep } from '../../../../src/library/core/errors/disk-full.ts';
import { ownerPrefix } from '../../../../src/library/core/machine/owner-names.ts';
import type { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { configFrom } from '../../../../src/service/rules/settings/config.ts';
import { createObjects } from '../../../../src/service/serve/objects.ts';
import { createS3Store, type S3StoreSettings } from '../../../../src/service/adapters/s3/object-store.ts';
import type { ObjectStore } from '../../../../src/service/rules/files/object-store.ts';
import { type MoodyProxy, startMoodyProxy } from '../../../fixtures/s3/moody-proxy.ts';
import { type S3Server, s3Credentials, needS3Program, s3Region, startS3Server } from '../../../fixtures/s3/server.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { inPieces, numbered, objectStoreConformance } from '../../../conformance/object-store.ts';

const leastPartBytes = 5 * 2 ** 20;
const program = needS3Program();

describe.skipIf(program === null)('S3', () => {
  let server: S3Server;
  let bucket: string;
  let versioned: string;
  beforeAll(async () => {
    server = await startS3Server(program as string);
    [bucket, versioned] = [await server.makeBucket(), await server.makeBucket({ versioned: true })];
  });
  afterAll(() => server.stop());

  const folder = temporaryFolder('earshot-s3-copies-');
  const open = (name: string, options: Partial<S3StoreSettings> = {}): ObjectStore =>
    createS3Store({
      bucket: name,
      prefix: `${randomBytes(6).toString('hex')}/`,
      endpoint: server.endpoint,
      region: s3Region,
      credentials: s3Credentials,
      folder: join(folder, randomBytes(6).toString('hex')),
      copiesBytes: 10_000_000,
      reserveBytes: 0,
      ...options,
    });

  objectStoreConformance(
    'a bucket',
    () => Promise.resolve({ store: open(bucket), remove: () => Promise.resolve() }),
    leastPartBytes,
  );
  objectStoreConformance(
    'a bucket that keeps versions',
    () => Promise.resolve({ store: open(versioned), remove: () => Promise.resolve() }),
    leastPartBytes,
  );

  test('a removed object is gone, with all its versions', async () => {
    const prefix = 'removed/';
    const store = open(versioned, { prefix });
    for (const text of ['one', 'two', 'three']) await store.write('a/b', Readable.from([text]), { maxBytes: 10 });
    // Of its neighbour, whose key begins the same, nothing goes.
    await store.write('a/b2', Readable.from(['x']), { maxBytes: 10 });
    const versions = async (): Promise<(string | undefined)[]> => {
      const { Versions = [], DeleteMarkers = [] } = await server.client.send(
        new ListObjectVersionsCommand({ Bucket: versioned, Prefix: prefix }),
      );
      return [...Versions, ...DeleteMarkers].map(({ Key }) => Key);
    };
    expect(await versions()).toHaveLength(4);
    await store.remove('a/b');
    expect(await versions()).toEqual(['removed/a/b2']);
  });

  describe('a store that is busy', () => {
    let proxy: MoodyProxy;
    beforeAll(async () => {
      proxy = await startMoodyProxy(server.endpoint);
    });
    afterAll(() => proxy.stop());

    test('is asked again, and loses nothing', async () => {
      const store = open(bucket, { endpoint: proxy.endpoint });
      proxy.busyFor = 1;
      const bytes = numbered(300_000);
      await store.write('k', inPieces(bytes), { maxBytes: 1e6 });
      proxy.busyFor = 1;
      expect((await buffer(await store.read('k'))).equals(bytes)).toBe(true);
    });

    test('a part that is held in memory is sent again, and refused when it was changed on the way', async () => {
      const store = open(bucket, { endpoint: proxy.endpoint });
      const upload = { key: 'held', uploadId: await store.beginUpload('held') };
      const bytes = numbered(100_000);
      const place = { number: 1, offsetBytes: 0, exactBytes: bytes.length };
      const source = inPieces(bytes);
      source.once('resume', () => (proxy.busyFor = 1));
      const before = proxy.passed.length;
      const receipt = await store.writePart(upload, place, source);
      expect(proxy.passed.slice(before).filter((line) => line.startsWith('PUT'))).toHaveLength(2);
      const again = inPieces(bytes);
      again.once('resume', () => (proxy.changes = 1));
      await expect(store.writePart(upload, place, again)).rejects.toMatchObject({ code: 'internal_error' });
      expect(await store.completeUpload(upload, [receipt])).toEqual({ sizeBytes: bytes.length });
    });

    test('what was changed on the way is neither stored nor given to a job', async () => {
      const store = open(bucket, { endpoint: proxy.endpoint });
      const bytes = numbered(100_000);
      proxy.changes = 1;
      await expect(store.write('changed', inPieces(bytes), { maxBytes: 1e6 })).rejects.toMatchObject({
        code: 'internal_error',
      });
      expect(await store.stat('changed')).toBe(null);
      const { sha256 } = await store.write('whole', inPieces(bytes), { maxBytes: 1e6 });
      await expect(store.checkOut('whole', sha256.replaceAll(/[0-7]/g, '8'))).rejects.toThrow(
        /Expected an object with/,
      );
      await (await store.checkOut('whole', sha256)).release();
    });

    test('a part whose body it did not take is an outage, and can be sent again', async () => {
      const store = open(bucket, { endpoint: proxy.endpoint, heldBytes: 0 });
      const upload = { key: 'up', uploadId: await store.beginUpload('up') };
      const bytes = numbered(100_000);
      const place = { number: 1, offsetBytes: 0, exactBytes: bytes.length };
      const source = inPieces(bytes);
      // The look at the upload has passed when the source is first read.
      source.once('resume', () => (proxy.busyFor = 1));
      await expect(store.writePart(upload, place, source)).rejects.toMatchObject({ details: { outage: true } });
      const receipt = await store.writePart(upload, place, inPieces(bytes));
      expect(await store.completeUpload(upload, [receipt])).toEqual({ sizeBytes: bytes.length });
    });

    test('that never answers is an outage, without its address in the message', async () => {
      const store = open(bucket, { endpoint: 'http://127.0.0.1:9' });
      await expect(store.check()).rejects.toMatchObject({
        code: 'internal_error',
        message: expect.not.stringMatching(/127|ECONN/) as string,
        retryable: true,
        details: { outage: true },
      });
    });

    test('what a job read is not fetched again, until the cache is full', async () => {
      const folder = temporaryFolder('earshot-s3-copies-');
      const store = open(bucket, { prefix: 'cached/', endpoint: proxy.endpoint, folder, copiesBytes: 250_000 });
      for (const key of ['a', 'b', 'c']) await store.write(key, inPieces(numbered(100_000)), { maxBytes: 1e6 });
      const fetched = async (key: string): Promise<number> => {
        const before = proxy.passed.length;
        const lent = await store.checkOut(key);
        expect(readFileSync(lent.path).equals(numbered(100_000))).toBe(true);
        await lent.release();
        return proxy.passed.slice(before).filter((line) => line.startsWith('GET')).length;
      };
      expect([await fetched('a'), await fetched('b'), await fetched('a'), await fetched('b')]).toEqual([1, 1, 0, 0]);
      // The third is too much: the one that was used longest ago goes.
      expect([await fetched('c'), await fetched('b'), await fetched('c'), await fetched('a')]).toEqual([1, 0, 0, 1]);
      // Another process of this machine has the same copies; one that was lent outlives them.
      const other = open(bucket, { prefix: 'cached/', endpoint: proxy.endpoint, folder, copiesBytes: 250_000 });
      const lent = await other.checkOut('a');
      for (const name of readdirSync(join(folder, 'kept'))) rmSync(join(folder, 'kept', name));
      expect(readFileSync(lent.path)).toHaveLength(100_000);
      await lent.release();
      expect(readdirSync(join(folder, 'lent'))).toEqual([]);
    });

    test('what a killed process had borrowed goes, what another one holds stays', async () => {
      const folder = temporaryFolder('earshot-s3-copies-');
      const lent = join(folder, 'lent');
      mkdirSync(lent);
      const held = `${ownerPrefix('lent')}1`;
      // No system gives a process this number.
      const left = held.replace(`-${process.pid}-`, '-99999999-');
      for (const name of [held, left, `${left}-kept`]) writeFileSync(join(lent, name), 'x');
      const store = open(bucket, { folder });
      await store.write('k', Readable.from(['x']), { maxBytes: 1 });
      await (await store.checkOut('k')).release();
      expect(readdirSync(lent)).toEqual([held]);
    });

    test('a disk without room is said before a byte is fetched', async () => {
      const store = open(bucket, { endpoint: proxy.endpoint, reserveBytes: 2 ** 50 });
      await store.write('large', Readable.from(['x']), { maxBytes: 1 });
      const before = proxy.passed.length;
      await expect(store.checkOut('large')).rejects.toSatisfy((thrown) => isNoRoomToKeep(thrown as EarshotError));
      expect(proxy.passed.slice(before).filter((line) => line.startsWith('GET'))).toEqual([]);
    });
  });

  test('a service with a wrong bucket or key does not start, and says what to check', async () => {
    const config = configFrom({
      data: folder,
      s3Bucket: bucket,
      s3Endpoint: server.endpoint,
      s3AccessKeyId: s3Credentials.accessKeyId,
      s3SecretAccessKey: s3Credentials.secretAccessKey,
    });
    await (await createObjects(config)).check();
    const refused = { code: 'bad_request', nextAction: expect.stringContaining('EARSHOT_S3_BUCKET') as string };
    await expect(createObjects({ ...config, s3Bucket: 'no-such-bucket' })).rejects.toMatchObject(refused);
    await expect(createObjects({ ...config, s3SecretAccessKey: 'wrong' })).rejects.toMatchObject(refused);
    await expect(createObjects({ ...config, s3SecretAccessKey: null })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('the secret is missing') as string,
    });
    // What may be there in a minute is waited for.
    await createObjects({ ...config, s3Endpoint: 'http://127.0.0.1:9' });
  });
});
