// An API and a worker that share a database and a bucket, and no folder: as two machines do.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, it } from 'vitest';
import { readAll } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { maxAbs, tone } from '../../fixtures/media/signals.ts';
import { needS3Program, s3Credentials, startS3Server } from '../../fixtures/s3/server.ts';
import { useDatabases } from '../../fixtures/service/database.ts';
import { createClient, startService } from '../../fixtures/service/running-service.ts';

const { emptyDatabase } = useDatabases();
const program = needS3Program();
const folder = mkdtempSync(join(tmpdir(), 'earshot-two-hosts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(program === null)('two hosts', () => {
  it('take an upload, run its job, give its result out and delete all, over a bucket', async () => {
    const server = await startS3Server(program as string);
    const bucket = await server.makeBucket();
    const flags = [
      `--database-url=${await emptyDatabase()}`,
      `--s3-bucket=${bucket}`,
      '--s3-prefix=test/files',
      `--s3-endpoint=${server.endpoint}`,
      `--s3-access-key-id=${s3Credentials.accessKeyId}`,
      `--s3-secret-access-key=${s3Credentials.secretAccessKey}`,
    ];
    const [here, there] = [join(folder, 'api'), join(folder, 'worker')];
    const api = await startService(here, [...flags, '--role', 'api', '--first-credits', '100']);
    const worker = await startService(there, [...flags, '--role', 'worker']);
    try {
      const client = createClient(api.address, api.key ?? '');
      const sound = tone(96_000, 48_000, 440, -30);
      const path = writeWav(join(folder, 'tone.wav'), [sound], 48_000);
      const file = await client.upload(new Uint8Array(readFileSync(path)), 'tone.wav');
      expect(file.status).toBe('ready');
      const options = { target: 'custom', custom_lufs: -20, output_format: 'wav' };
      const job = await client.call<{ id: string }>('POST', '/api/v1/jobs', {
        tool: 'adjust_loudness',
        file_id: file.id,
        idempotency_key: 'one',
        ...options,
      });
      const ended = await client.finished(job.id);
      expect(ended).toMatchObject({ status: 'succeeded', error: null });
      const output = ended.outputs[0]?.id ?? '';
      const link = await client.call<{ url: string }>('GET', `/api/v1/files/${output}/download`);
      const answer = await fetch(link.url);
      expect(answer.status).toBe(200);
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(Number(answer.headers.get('content-length'))).toBe(bytes.length);
      const part = await fetch(link.url, { headers: { range: 'bytes=100-199' } });
      expect(part.status).toBe(206);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true);
      const result = join(folder, 'result.wav');
      writeFileSync(result, bytes);
      const made = readAll(result);
      expect(made.frames).toBe(sound.length);
      expect(maxAbs(made.planes[0] as Float32Array)).toBeGreaterThan(1.5 * maxAbs(sound));
      const keys = async (): Promise<readonly string[]> =>
        ((await server.client.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents ?? []).map(
          ({ Key = '' }) => Key,
        );
      expect((await keys()).every((key) => key.startsWith('test/files/'))).toBe(true);
      expect((await keys()).length).toBeGreaterThanOrEqual(2);
      for (const id of [file.id, output]) await client.call('DELETE', `/api/v1/files/${id}`);
      await expect.poll(keys).toEqual([]);
      // What the worker keeps of it are copies; the API has none.
      expect(readdirSync(join(there, 'objects', 'copies', 'lent'))).toEqual([]);
      expect(existsSync(join(here, 'objects'))).toBe(false);
    } finally {
      await Promise.all([api.stop(), worker.stop()]);
      await server.stop();
    }
  });
});
