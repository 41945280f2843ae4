// A body that is the file itself, as `curl --data-binary @talk.wav` sends it, with options in the query.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createFakeMedia } from './fake-media.ts';
import { tone } from './support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
const media = createFakeMedia();
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-raw-'));
let service: TestService;

beforeAll(async () => {
  service = await services.start({ media, config: { freeVariant: 'b', freeRequestBytes: '200000' } });
});
afterAll(() => rmSync(folder, { recursive: true }));

const post = async (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
  const response = await fetch(service.base + path, { method: 'POST', body, headers });
  const text = await response.text();
  return {
    status: response.status,
    text,
    type: response.headers.get('content-type'),
    json: JSON.parse(text.startsWith('{') ? text : 'null'),
  };
};
const wav = new Uint8Array(1000).fill(82);

describe('a raw body', () => {
  it('is taken as curl sends it, whole, with real work', slow, async () => {
    const real = await services.start();
    const path = join(folder, 'talk.wav');
    writeFileSync(path, Buffer.from(await tone(2).arrayBuffer()));
    const out = join(folder, 'out.flac');
    const { stdout } = await promisify(execFile)('curl', [
      '-sS',
      '--data-binary',
      `@${path}`,
      '-o',
      out,
      '-w',
      '%{http_code} %{content_type}',
      `${real.base}/api/try/convert?format=flac&channels=mono`,
    ]);
    expect(stdout).toBe('200 audio/flac');
    await real.stop();
  });

  it('is the file, whatever its type; the query has options and the name', async () => {
    for (const [query, headers, filename] of [
      ['?filename=30s.wav', {}, '30s.wav'],
      ['?filename=30s%20b.wav', { 'content-type': 'audio/wav' }, '30s b.wav'],
      ['', { 'content-type': 'application/octet-stream' }, 'upload'],
      ['', { 'content-type': 'application/x-www-form-urlencoded' }, 'upload'],
      ['', { 'content-type': 'text/plain' }, 'upload'],
    ] as [string, Record<string, string>, string][]) {
      const { status } = await post(`/api/try/loudness${query}`, wav, headers);
      expect([status, media.runs.at(-1)?.inputs['file_id']?.[0]?.name]).toEqual([200, filename]);
    }
    await post('/api/try/cut?ranges=[[1,2]]&mode=keep&filename=20s.wav', wav);
    expect(media.runs.at(-1)?.options).toMatchObject({ ranges: [[1, 2]], mode: 'keep' });
  });

  it('is told what is wrong with the query before it is sent', async () => {
    for (const [query, said] of [
      ['?bitrate=1', 'bitrate'],
      ['?target=loud', 'target'],
      ['?target=podcast&target=streaming', 'one value'],
      ['?free=true', 'API key'],
      ['?file_id=file_1', 'file_id'],
      ['?filename=a.wav&filename=b.wav', 'filename'],
    ]) {
      const { status, json } = await post(`/api/try/loudness${query}`, wav);
      expect([status, json.error.message]).toEqual([400, expect.stringContaining(said ?? '')]);
    }
  });

  it('is held to the same bound, and to being one file', async () => {
    const { status, json } = await post('/api/try/loudness', new Uint8Array(200_001));
    expect([status, json.error.code]).toEqual([413, 'file_too_large']);
    for (const slug of ['join', 'swap-audio', 'mix']) {
      const alone = await post(`/api/try/${slug}`, wav);
      expect([alone.status, alone.json.error.code]).toEqual([400, 'bad_request']);
    }
    const empty = await fetch(`${service.base}/api/try/loudness`, { method: 'POST' });
    expect(empty.status).toBe(400);
    expect((await service.stores.files.totals()).files).toBeGreaterThan(0);
  });

  it('of fields alone is a form, as curl -d sends one', async () => {
    const { status, json } = await post(
      '/api/try/loudness',
      'url=http%3A%2F%2Fmedia.example.com%2Fa.wav&target=streaming',
      {
        'content-type': 'application/x-www-form-urlencoded',
      },
    );
    // This service fetches nothing: the link has been read and is being fetched.
    expect(JSON.stringify([status, json.error ?? json])).toMatch(/fetch|link|failed|internal/i);
    const unknown = await post('/api/try/loudness', 'url=https%3A%2F%2Fa.example.com&colour=red', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([unknown.status, unknown.json.error.message]).toEqual([400, expect.stringContaining('colour')]);
  });
});
