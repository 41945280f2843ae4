// Voices over REST: an account's own, with consent, gone at once when they are deleted.
import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { packageVersion } from '../../../../src/library/core/start/package-version.ts';
import { directionText } from '../../../../src/library/contract/voice-print.ts';
import { LocalCopies } from '../../../../src/service/adapters/local-copies.ts';
import { RunnerClient } from '../../../../src/service/adapters/runner/runner-client.ts';
import { RunnerLoop, type RunnerLoopDeps } from '../../../../src/service/adapters/runner/runner-loop.ts';
import { quietLog } from '../../../fixtures/service/database.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { direction, voiceNamed } from '../../../fixtures/sounds/voice-prints.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { eventually } from '../../../fixtures/until.ts';
import { createFakeMedia } from '../try/fake-media.ts';
import { createCaller } from '../support.ts';

const services = useServices();
const secret = directionText(direction({ 3: 1 }));
const { print } = voiceNamed('Zacharias', direction({ 3: 1 }));
let service: TestService;
const fake = createFakeMedia();

beforeAll(async () => {
  fake.voicePrint = (_path, filename) =>
    filename.includes('two')
      ? Promise.reject(new EarshotError('bad_request', 'Expected one voice but several people speak'))
      : filename.includes('broken')
        ? Promise.reject(new Error('Zacharias broke it'))
        : Promise.resolve(print);
  service = await services.start({ media: fake });
});

async function person(of: TestService = service) {
  const { account, key } = await of.account();
  const call = createCaller(of.base, key);
  const upload = async (filename: string, bytes: Uint8Array<ArrayBuffer> = new Uint8Array(4)): Promise<string> => {
    const { json } = await call('POST', '/api/v1/files', { body: { filename, sizeBytes: bytes.length } });
    await call('PUT', json.upload.url, { raw: bytes, headers: json.upload.headers });
    return (await call('GET', `/api/v1/files/${json.file.id}?wait=40`)).json.id;
  };
  const add = (file_id: string, more: object = {}) =>
    call('POST', '/api/v1/voices', { body: { name: 'Zacharias', file_id, consent: true, ...more } });
  const made = async (id: string) => {
    for (;;) {
      const { json } = await call('GET', `/api/v1/voices/${id}`);
      if (json.status !== 'processing') return json;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  };
  return { account, key, call, upload, add, made };
}

describe('voices of an account', () => {
  it('are made of a recording, renamed and deleted at once; no answer has a number of them', async () => {
    const { account, call, upload, add, made } = await person();
    const file = await upload('20s.wav');
    const created = await add(file, { ranges: [[1, 9]] });
    expect(created.status, created.text).toBe(201);
    expect(created.json).toMatchObject({ name: 'Zacharias', status: 'processing', error: null, seconds: null });
    expect(created.json.consent).toMatch(/has agreed/);
    const voice = await made(created.json.id);
    expect(voice).toMatchObject({ status: 'ready', seconds: 20 });
    expect(await service.stores.voices.known(account.id)).toEqual([{ name: 'Zacharias', print }]);

    expect((await add(file, { name: 'zacharias' })).json.error.code).toBe('conflict');
    const renamed = await call('PATCH', `/api/v1/voices/${voice.id}`, { body: { name: 'Zoe' } });
    expect(renamed.json).toEqual({ ...voice, name: 'Zoe' });
    const list = await call('GET', '/api/v1/voices');
    expect(list.json).toEqual({ data: [{ ...voice, name: 'Zoe' }], nextCursor: null });
    expect([created.text, renamed.text, list.text].join()).not.toContain(secret.slice(0, 20));

    expect((await call('DELETE', `/api/v1/voices/${voice.id}`)).status).toBe(204);
    expect((await call('DELETE', `/api/v1/voices/${voice.id}`)).status).toBe(404);
    expect(await service.stores.voices.known(account.id)).toEqual([]);
  });

  it('need consent, a name that does, and a recording of the account', async () => {
    const { upload, add } = await person();
    const stranger = await person();
    const file = await upload('20s.wav');
    for (const more of [
      { consent: false },
      { consent: undefined },
      { name: 'a,b' },
      { name: 'all' },
      { ranges: [[2, 1]] },
    ])
      expect((await add(file, more)).json.error.code, JSON.stringify(more)).toBe('bad_request');
    expect((await stranger.add(file)).json.error.code).toBe('not_found');
    expect((await add(await upload('words.txt'))).json.error.code).toBe('wrong_file_type');
    const said = 'Zacharias agreed on 2026-11-30';
    expect((await add(file, { consent_text: said })).json.consent).toBe(said);
  });

  it('say what is wrong with a recording, and of faults of ours only that there was one', async () => {
    const { upload, add, made } = await person();
    const two = await made((await add(await upload('20s-two.wav'))).json.id);
    expect(two).toMatchObject({ status: 'failed', error: { code: 'bad_request' } });
    const broken = await made((await add(await upload('20s-broken.wav'), { name: 'Ben' })).json.id);
    expect(broken.error.code).toBe('internal_error');
    expect(broken.error.message).not.toContain('Zacharias');
  });

  it('are no other account’s: neither by id nor by name', async () => {
    const { upload, add, made } = await person();
    const stranger = await person();
    const { id } = await made((await add(await upload('20s.wav'))).json.id);
    for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
      const { json, text } = await stranger.call(method, `/api/v1/voices/${id}`, body === undefined ? {} : { body });
      expect(json.error.code).toBe('not_found');
      expect(text).not.toContain('Zacharias');
    }
    expect((await stranger.call('GET', '/api/v1/voices')).json.data).toEqual([]);
    const body = {
      tool: 'transcribe_audio',
      file_id: await stranger.upload('20s.wav'),
      voices: ['Zacharias'],
      idempotency_key: 'a',
    };
    const refused = await stranger.call('POST', '/api/v1/jobs', { body });
    expect(refused.json.error).toMatchObject({ code: 'bad_request', message: expect.stringContaining('voices[0]') });
    expect(refused.text).not.toContain('Zacharias');
  });

  it('reach the job that names them, and no other job; "all" are those there are when it runs', async () => {
    const { call, upload, add, made } = await person();
    await made((await add(await upload('20s.wav'))).json.id);
    const file_id = await upload('30s.wav');
    const order = async (key: string, more: object) => {
      const { json, text } = await call('POST', '/api/v1/jobs', {
        body: { tool: 'transcribe_audio', file_id, idempotency_key: key, ...more },
      });
      expect(json.error, text).toBeFalsy();
      for (;;) {
        const job = await call('GET', `/api/v1/jobs/${json.id}`);
        if (!['queued', 'running'].includes(job.json.status)) return job;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    };
    const before = fake.runs.length;
    const named = await order('one', { voices: ['zacharias'] });
    await order('two', { voices: ['all'] });
    await order('three', {});
    const known = fake.runs.slice(before).map(({ knownVoices }) => knownVoices);
    expect(known).toEqual([[{ name: 'Zacharias', print }], [{ name: 'Zacharias', print }], undefined]);
    // The job has the name that was asked for; its print is in no row and no answer.
    expect(named.text).not.toContain(secret.slice(0, 20));
  });

  it('go with the account', async () => {
    const { account, upload, add, made } = await person();
    await made((await add(await upload('20s.wav'))).json.id);
    await service.stores.signIn.closeAccount(account.id, new Date());
    expect(await service.stores.voices.list(account.id)).toEqual([]);
  });

  it('are in no line of the log', () => {
    const logged = service.logged();
    expect(logged).toContain('A voice print could not be made');
    expect(logged).not.toContain(secret.slice(0, 20));
    expect(logged.replaceAll('Zacharias broke it', '')).not.toMatch(/zacharias/i);
  });
});

it('a transcript of the service has the name of who agreed', slow, async () => {
  const real = await services.start();
  const { call, upload, add, made } = await person(real);
  const file_id = await upload('jfk.wav', new Uint8Array(readFileSync(recording('jfk.wav'))));
  const voice = await made((await add(file_id)).json.id);
  expect(voice).toMatchObject({ status: 'ready', error: null });
  const { json: started } = await call('POST', '/api/v1/jobs', {
    body: { tool: 'transcribe_audio', file_id, language: 'en', voices: ['Zacharias'], idempotency_key: 'named' },
  });
  let job = started;
  while (!['succeeded', 'failed'].includes(job.status)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    ({ json: job } = await call('GET', `/api/v1/jobs/${started.id}`));
  }
  expect(job.error).toBeNull();
  expect(job.result.voices).toMatchObject([{ speaker: 1, name: 'Zacharias', uncertain: false }]);
  const text = job.outputs.find(({ format }: { format: string }) => format === 'txt');
  const { json: link } = await call('GET', `/api/v1/files/${text.id}/download`);
  const said = await (await fetch(link.url)).text();
  expect(said).toContain('Zacharias: And so');
});

it('a runner over https gets the voices of the job that names them, and no others', async () => {
  const elsewhere = createFakeMedia();
  const here = createFakeMedia();
  here.voicePrint = () => Promise.resolve(print);
  const config = { takeJobs: 'false' };
  const lent = await services.start({ media: here, config });
  const { account, key, call, upload } = await person(lent);
  const { account: stranger } = await lent.account();
  const file_id = await upload('30s.wav');
  const { voices } = lent.stores;
  for (const [id, owner, name] of [
    ['voice_own', account, 'Zacharias'],
    ['voice_other', stranger, 'Strange'],
  ] as const) {
    const consent = 'has agreed';
    await voices.create({ id, accountId: owner.id, name, consent, fileId: file_id, ranges: null }, 10);
    await voices.finish(id, { print });
  }
  for (const [index, more] of [{ voices: ['zacharias'] }, { voices: ['all'] }, {}].entries()) {
    const body = { tool: 'transcribe_audio', file_id, idempotency_key: `${index}`, ...more };
    expect((await call('POST', '/api/v1/jobs', { body })).status).toBe(201);
  }
  const form = new FormData();
  for (const [name, value] of [
    ['model', 'whisper-1'],
    ['response_format', 'diarized_json'],
    ['known_speaker_names[]', 'Yara'],
    ['known_speaker_references[]', 'data:audio/wav;base64,WWFyYSE='],
  ] as const)
    form.append(name, value);
  form.append('file', new Blob([new Uint8Array(4)]), '30s.wav');
  const asked = fetch(`${lent.base}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const count = async (table: string): Promise<number> =>
    Number((await lent.stores.database.query(`select count(*) as count from ${table}`, [])).rows[0]?.['count']);
  await eventually(async () => {
    expect(await count('jobs')).toBe(4);
  });
  const { token } = await lent.operator.addRunner('elsewhere');
  const folder = temporaryFolder('earshot-runner-');
  let made = 0;
  const loop = new RunnerLoop({
    client: new RunnerClient(lent.base),
    media: elsewhere,
    disk: { reserve: () => Promise.resolve({ release: () => undefined }), hasRoom: () => Promise.resolve(true) },
    folders: {
      make: async () => {
        const path = join(folder, `run-${(made += 1)}`);
        await mkdir(path);
        return path;
      },
      remove: (path: string) => rm(path, { recursive: true }),
    },
    copies: new LocalCopies(join(folder, 'copies'), 1e9, 0),
    log: quietLog,
    token,
    machine: { version: packageVersion(), build: 'b', models: [], labels: [], slots: 1 },
    load: () => 0,
    limits: { maxJobs: 4, idleSeconds: 10 },
  } as unknown as RunnerLoopDeps);
  await loop.run();
  const known = [{ name: 'Zacharias', print }];
  const got = elsewhere.runs.map(({ options, knownVoices, voiceReferences }) =>
    voiceReferences === undefined ? [options['voices'], knownVoices] : [knownVoices, voiceReferences],
  );
  expect(got).toHaveLength(4);
  expect(got).toEqual(
    expect.arrayContaining([
      [['zacharias'], known],
      [['all'], known],
      [undefined, undefined],
      [undefined, [{ name: 'Yara', sound: 'WWFyYSE=' }]],
    ]),
  );
  await asked;
  expect(await count('voice_references')).toBe(0);
  expect(here.runs).toEqual([]);
});
