// @module-tag slower
// The service as a person starts it: the banner, the curl session of the README word for word, the operator's commands,
// and Ctrl-C.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { curlSession } from '../../src/service/serve/first-session.ts';
import { createClient, startService, type RunningService } from '../fixtures/service/running-service.ts';
import { earshot, type CliRun } from './support.ts';
import { slow } from '../fixtures/rounds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'earshot-serve-'));
const data = join(folder, 'data');
let service: RunningService;
let key = '';

beforeAll(async () => {
  service = await startService(data, ['--payment-instructions', 'Pay at the till.']);
  key = service.key ?? '';
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

// Never waited for synchronously: connections to the service that it closes meanwhile would look open.
const operate = (...args: string[]): Promise<CliRun> => earshot(folder, [...args, '--data', data]);
const json = async <Answer>(...args: string[]): Promise<Answer> => {
  const ran = await operate(...args, '--json');
  expect(`${ran.code} ${ran.stderr}`).toMatch(/^0 /);
  return JSON.parse(ran.stdout) as Answer;
};

it('a busy port is found before anything is made', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  for (const flag of ['--port', '--legacy-port', '--metrics-port']) {
    const busy = join(folder, `busy${flag}`);
    const args = ['serve', '--data', busy, ...(flag === '--port' ? [] : ['--port', '0']), flag, String(port)];
    const ran = await earshot(folder, args);
    expect(ran.stderr).toMatch(
      new RegExp(
        `^earshot: Expected to listen on 127\\.0\\.0\\.1:${port} but another program listens there\\. .*${flag}`,
      ),
    );
    expect(ran.code).toBe(1);
    expect(existsSync(busy)).toBe(false);
  }
  await new Promise<void>((resolve) => void taken.close(() => resolve()));
});

describe('earshot serve', () => {
  it('prints its address and a key at the first start', () => {
    expect(service.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(key).toMatch(/^svc_sk_[0-9A-Za-z]{40}$/);
    expect(service.output()).toContain('1000 credits');
  });

  it('shows the curl session of docs/rest-api.md, and the session works as it is', slow, async () => {
    const page = readFileSync(join(root, 'docs/rest-api.md'), 'utf8');
    expect(page).toContain(curlSession.map((line) => `    ${line}\n`).join(''));
    for (const line of curlSession) expect(service.output()).toContain(line);
    const script = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('    ') && !/^ {4}svc_sk_/.test(line))
      .join('\n');
    // The printed path is relative to where the service was started: here that is this process.
    const inFolder = `${script}\n`.replace(/IN=\S+/, `IN=${join(data, 'sample.opus')}`);
    const { stdout: printed } = await promisify(execFile)('bash', ['-c', inFolder], { cwd: folder });
    expect(printed).toContain('"status":"succeeded"');
    expect(printed).toContain('"levels":[{"perSecond":5');
    expect(printed.match(/"status":"succeeded"/g)).toHaveLength(2);
    expect(printed).toContain('"kind":"charge"');
    for (const name of ['sample.remove-noise.opus', 'sample.remove-noise.remove-fillers.opus'])
      expect(existsSync(join(folder, name))).toBe(true);
    // What is said, without the fillers that were.
    const { sentences } = JSON.parse(/^\{"fileId":.*"sentences":.*$/m.exec(printed)?.[0] ?? '{}') as {
      sentences: { text: string }[];
    };
    const said = sentences.map(({ text }) => text).join(' ');
    expect(said).toMatch(/this is me talking really slow/i);
    expect(said).not.toMatch(/\b(um|uh)\b/i);
  });

  it('gives a report as a file where a tool answers values', async () => {
    const client = createClient(service.address, key);
    const file = await client.upload(new Uint8Array(readFileSync(join(data, 'sample.opus'))), 'talk.opus');
    const job = await client.finished(
      (await client.call<{ id: string }>('POST', '/api/v1/jobs', { tool: 'analyze_audio', file_id: file.id })).id,
    );
    expect(job.outputs).toMatchObject([
      { filename: 'talk.media-info.json', contentType: 'application/json', kind: 'output' },
    ]);
    const { url } = await client.call<{ url: string }>('GET', `/api/v1/files/${job.outputs[0]?.id}/download`);
    expect(await (await fetch(url)).json()).toHaveProperty('loudness');
  });

  it('refuses a second service on its port with a next step', async () => {
    const other = mkdtempSync(join(tmpdir(), 'earshot-serve-'));
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const ran = await earshot(folder, ['serve', '--data', other, '--port', String(port)]);
    taken.close();
    // Nothing was made that nobody has seen.
    expect(ran.stdout).not.toContain('svc_sk_');
    const accounts = await earshot(folder, ['accounts', 'list', '--data', other, '--json']);
    expect(JSON.parse(accounts.stdout)).toEqual([]);
    rmSync(other, { recursive: true, force: true });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      `Expected to listen on 127.0.0.1:${port} but another program listens there. Choose another port`,
    );
  });

  it('refuses settings by name before anything starts', async () => {
    const ran = await earshot(folder, ['serve', '--job-slots', 'many', '--data', join(folder, 'never')]);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain(
      'Expected integer between 1 and 256 for EARSHOT_JOB_SLOTS (--job-slots) but received many',
    );
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });
});

describe('the operator’s commands beside the running service', () => {
  it('make accounts, keys and credits that count at once', async () => {
    const account = await json<{ id: string; balance: number }>('accounts', 'create', 'Ann', '--credits', '20');
    expect(account.balance).toBe(20);
    const made = await json<{ id: string; secret: string; prefix: string }>(
      'keys',
      'create',
      account.id,
      '--name',
      'laptop',
    );
    const client = createClient(service.address, made.secret);
    expect(await client.call('GET', '/api/v1/account')).toMatchObject({
      balance: 20,
      balanceCents: 20,
      availableCents: 20,
    });
    expect(await json('credits', 'grant', account.id, '30', '--note', 'invoice 12')).toMatchObject({
      kind: 'grant',
      credits: 30,
      balance: 50,
    });
    expect(await client.call('GET', '/api/v1/account')).toMatchObject({ balance: 50 });
    expect(await json<{ kind: string }[]>('credits', 'ledger', account.id)).toMatchObject([
      { kind: 'grant', credits: 30, note: 'invoice 12' },
      { kind: 'grant', credits: 20 },
    ]);
    const [listed] = await json<{ prefix: string; lastUsedAt: string | null }[]>('keys', 'list', account.id);
    expect(listed).toMatchObject({ prefix: made.prefix });
    expect(listed?.lastUsedAt).not.toBeNull();
    expect(JSON.stringify(listed)).not.toContain(made.secret);
    await json('keys', 'revoke', made.prefix);
    await expect(client.call('GET', '/api/v1/account')).rejects.toThrow('401');
  });

  it('show what is given away, who waits, and confirm and refund what people pay', async () => {
    const bytes = new Uint8Array(readFileSync(join(data, 'sample.opus')));
    const ask = async (): Promise<Response> => {
      const form = new FormData();
      form.append('file', new File([bytes], 'talk.wav'));
      return fetch(`${service.address}/api/try/loudness`, { method: 'POST', body: form });
    };
    for (let uses = 0; uses < 3; uses += 1) expect((await ask()).status).toBe(200);
    const refused = (await (await ask()).json()) as { error: { details: { jobId: string; finishUrl: string } } };
    const { jobId, finishUrl } = refused.error.details;
    const shown = await json<{ uses: object; waiting: { id: string }[] }>('free');
    expect(shown.uses).toMatchObject({ adjust_loudness: { uses: 3, visitors: 1 } });
    expect(shown.waiting.map(({ id }) => id)).toEqual([jobId]);

    const pressed = await fetch(finishUrl, { method: 'POST', redirect: 'manual' });
    expect(pressed.status).toBe(303);
    const [open] = await json<{ id: string; status: string; amountCents: number }[]>('payments', 'list');
    expect(open).toMatchObject({ status: 'open', amountCents: 500 });
    const confirmed = await json<{ outcome: string; accountId: string }>('payments', 'confirm', open?.id ?? '');
    expect(confirmed.outcome).toBe('job_started');
    expect((await json<{ accountId: string }>('payments', 'confirm', open?.id ?? '')).accountId).toBe(
      confirmed.accountId,
    );
    expect(await json('payments', 'refund', open?.id ?? '', '--cents', '100')).toMatchObject({ refundedCents: 100 });
    const entries = await json<{ kind: string; credits: number }[]>('credits', 'ledger', confirmed.accountId);
    expect(entries.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['purchase', 'reserve', 'adjustment']));
    expect(await json('free')).toMatchObject({ waiting: [] });
  });

  it('make sessions for the cookie, and show auto-refill', async () => {
    const account = await json<{ id: string }>('accounts', 'create', 'Bo');
    const { token } = await json<{ token: string }>('sessions', 'create', account.id);
    await json(
      'accounts',
      'auto-refill',
      account.id,
      '--threshold-cents',
      '500',
      '--amount-cents',
      '2000',
      '--monthly-cap-cents',
      '10000',
      '--card',
      'visa:4242',
    );
    const response = await fetch(`${service.address}/api/v1/auto-refill`, {
      headers: { cookie: `__Secure-svc.session_token=${token}` },
    });
    expect(await response.json()).toMatchObject({
      enabled: true,
      thresholdCents: 500,
      amountCents: 2000,
      monthlyCapCents: 10_000,
    });
    await json('sessions', 'end', account.id);
    expect(
      (await fetch(`${service.address}/api/v1/account`, { headers: { cookie: `__Secure-svc.session_token=${token}` } }))
        .status,
    ).toBe(401);
  });

  it.each([
    [['credits', 'grant', 'acc_none', '5'], 'There is no account acc_none'],
    [['keys', 'revoke', 'key_none'], 'There is no API key key_none'],
    [['accounts', 'create', ' '], 'Expected string of 1 to 200 characters for name'],
    [['credits', 'grant', 'acc_none', 'five'], 'Expected whole number for credits but received five'],
  ])('refuse %j with a sentence', async (args, message) => {
    const ran = await operate(...args);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain(message);
  });
});

describe('Ctrl-C', () => {
  it('ends everything, and a later start finds all of it', async () => {
    const { pids } = service;
    expect(pids().postgres.length).toBe(1);
    const account = () => createClient(service.address, key).call<{ balance: number }>('GET', '/api/v1/account');
    const before = await account();
    const accounts = await json<{ id: string; name: string }[]>('accounts', 'list');
    await json('credits', 'grant', accounts.find(({ name }) => name === 'first')?.id ?? '', '7');
    const { balance } = await account();
    expect(balance).toBe(before.balance + 7);
    expect(await service.stop()).toBe(0);
    expect(Object.values(pids()).flat()).toEqual([]);
    expect(readdirSync(join(data, 'work'))).toEqual([]);
    service = await startService(data);
    expect(service.key).toBeNull();
    expect(await account()).toMatchObject({ balance });
  });
});
