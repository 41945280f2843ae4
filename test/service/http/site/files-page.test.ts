// The page of an account's files, without a script: searched, renamed, selected, and as one archive.
import { beforeAll, describe, expect, it } from 'vitest';
import { plainSessionCookie } from '../../../../src/service/http/interface/session-cookie.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { type TestService, useServices } from '../../../fixtures/service/service.ts';
import { tone } from '../try/support.ts';

const services = useServices();
let service: TestService;
beforeAll(async () => {
  service = await services.start();
});

async function person() {
  const { account, key } = await service.account(100);
  const { token } = await service.operator.createSession(account.id, 3600);
  const headers = { cookie: `${plainSessionCookie}=${token}`, accept: 'text/html' };
  const bearer = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const get = (path: string): Promise<Response> => fetch(service.base + path, { headers, redirect: 'manual' });
  const text = async (path: string): Promise<string> => (await get(path)).text();
  return {
    get,
    text,
    bearer,
    async post(path: string, form: Readonly<Record<string, string>>): Promise<Response> {
      const token = /name="form" value="([^"]*)"/.exec(await text('/account'))?.[1] ?? '';
      const body = new URLSearchParams({ form: token, ...form });
      const init = { method: 'POST', headers: { ...headers, origin: service.base }, body, redirect: 'manual' } as const;
      return fetch(service.base + path, init);
    },
    async upload(filename: string): Promise<string> {
      const bytes = new Uint8Array(await tone(4).arrayBuffer());
      const body = JSON.stringify({ filename, sizeBytes: bytes.length, contentType: 'audio/wav' });
      const answer = await fetch(`${service.base}/api/v1/files`, { method: 'POST', headers: bearer, body });
      const { file, upload } = (await answer.json()) as {
        file: { id: string };
        upload: { url: string; headers: Record<string, string> };
      };
      await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: bytes });
      await fetch(`${service.base}/api/v1/files/${file.id}?wait=30`, { headers: bearer });
      return file.id;
    },
  };
}

/** Names on the page, in its order. */
const namesIn = (page: string): readonly string[] =>
  [...page.matchAll(/<p class="name break">(?:<a [^>]*>)?([^<]*)/g)].map(([, name = '']) => name);

/** Names in a ZIP, by its local headers: nothing in it is compressed. */
function zippedNames(zip: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = zip.indexOf('PK\u0003\u0004'); at >= 0; at = zip.indexOf('PK\u0003\u0004', at + 4)) {
    const length = zip.readUInt16LE(at + 26);
    names.push(zip.subarray(at + 30, at + 30 + length).toString());
  }
  return names;
}

describe('the page of files', () => {
  it('is searched in either case, says what is used, and renames without losing the extension', slow, async () => {
    const { text, post, upload } = await person();
    const talk = await upload('Talk_100%.wav');
    await upload('music.wav');
    expect(namesIn(await text('/files'))).toEqual(['music.wav', 'Talk_100%.wav']);
    expect(await text('/files')).toMatch(/2 files, [\d.]+ kB/);
    expect(namesIn(await text('/files?q=tALK'))).toEqual(['Talk_100%.wav']);
    // No pattern of SQL.
    for (const q of ['100%', '_100']) expect(namesIn(await text(`/files?q=${encodeURIComponent(q)}`))).toHaveLength(1);
    expect(namesIn(await text('/files?q=%25usic'))).toEqual([]);
    expect((await post('/files/rename', { file: talk, name: '../Interview' })).status).toBe(303);
    expect(namesIn(await text('/files?q=interview'))).toEqual(['Interview.wav']);
    expect(await (await post('/files/rename', { file: talk, name: '..' })).text()).toContain('role="alert"');
  });

  it('gives the selected as one archive, draws them, and deletes them', slow, async () => {
    const { get, text, post, upload } = await person();
    const [a, b, c] = [await upload('a.wav'), await upload('a.wav'), await upload('c.wav')];
    const zip = await get(`/files/archive?file-${a}=1&file-${b}=1`);
    const bytes = Buffer.from(await zip.arrayBuffer());
    expect(zip.headers.get('content-length')).toBe(String(bytes.length));
    expect(zippedNames(bytes)).toEqual(['a.wav', 'a (2).wav']);
    const nothing = await get('/files/archive');
    expect([nothing.status, nothing.headers.get('location')]).toEqual([303, '/files?none']);
    expect(await (await get('/files?none')).text()).toContain('Nothing is selected');
    const picture = await get(`/files/${c}/wave.svg`);
    expect(picture.headers.get('content-type')).toBe('image/svg+xml');
    // A tone fills the height on both sides of the middle.
    const tops = [...(await picture.text()).matchAll(/M\d+ ([\d.]+)h1V([\d.]+)/g)].map(([, top, end]) => [top, end]);
    expect(tops).toHaveLength(96);
    expect(Number(tops[40]?.[0])).toBeLessThan(15);
    expect(Number(tops[40]?.[1])).toBeGreaterThan(17);
    const other = await person();
    expect((await other.get(`/files/${c}/wave.svg`)).status).toBe(404);
    expect((await other.get(`/files/archive?file-${c}=1`)).status).toBe(404);
    expect((await post('/files/delete-selected', { [`file-${a}`]: '1', [`file-${c}`]: '1' })).status).toBe(303);
    expect(namesIn(await text('/files'))).toEqual(['a.wav']);
  });

  it('is no error for a search that is said twice, nor is an archive of a name like a drive', slow, async () => {
    const { get, upload } = await person();
    const drive = await upload('A: intro.wav');
    const alike = await upload('A_ intro.wav');
    expect((await get('/files?q=a&q=b')).status).toBe(200);
    const zip = await get(`/files/archive?file-${drive}=1&file-${alike}=1`);
    expect(zip.status).toBe(200);
    const bytes = Buffer.from(await zip.arrayBuffer());
    expect(zippedNames(bytes)).toEqual(['A_ intro.wav', 'A_ intro (2).wav']);
  });

  it('has results under the file that they were made of', slow, async () => {
    const { text, bearer, upload } = await person();
    const first = await upload('first.wav');
    await upload('second.wav');
    const body = JSON.stringify({ tool: 'adjust_loudness', file_id: first, target: 'podcast' });
    const headers = { ...bearer, 'idempotency-key': 'one' };
    const made = await fetch(`${service.base}/api/v1/jobs`, { method: 'POST', headers, body });
    const { id } = (await made.json()) as { id: string };
    const status = async (): Promise<unknown> =>
      ((await (await fetch(`${service.base}/api/v1/jobs/${id}`, { headers: bearer })).json()) as { status: string })
        .status;
    await expect.poll(status, { timeout: 60_000 }).toBe('succeeded');
    const page = await text('/files');
    expect(namesIn(page)).toEqual(['second.wav', 'first.wav', expect.stringMatching(/^first.*wav$/)]);
    expect(page).toContain('made of first.wav');
  });
});
