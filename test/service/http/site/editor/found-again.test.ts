// Jobs of the editor belong to the recording: a reload, another device and a second press find them again.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { keepPicture, useBrowser } from '../../../../fixtures/browser/site.ts';
import { skipHere } from '../../../../fixtures/missing-part.ts';
import { slower } from '../../../../fixtures/rounds.ts';
import { workWithOwnRuns } from '../../../../fixtures/service/own-runs.ts';
import { useServices, type TestService } from '../../../../fixtures/service/service.ts';
import { plainSessionCookie } from '../../../../../src/service/http/interface/session-cookie.ts';
import { speak, workThatHears } from './spoken.ts';

const services = useServices();
const browser = useBrowser();
const said = speak(['So um this is the first take.', '| We keep the second one.']);
let folder = '';
let service: TestService;
/** Runs wait here until the test opens it. */
let gate = Promise.withResolvers<void>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-found-again-'));
  const hearing = workThatHears(said.transcript, folder);
  const media = workWithOwnRuns(folder, async (request) => {
    await Promise.race([
      gate.promise,
      new Promise((_, reject) => request.signal?.addEventListener('abort', () => reject(request.signal?.reason))),
    ]);
    return hearing.run(request);
  });
  service = await services.start({ media });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Person {
  readonly cookie: string;
  readonly file: string;
  /** Starts a job of the editor. @returns its id */
  press(what: 'transcript' | 'render', body: object): Promise<string>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
  api(path: string, init?: RequestInit): Promise<any>;
  jobs(): Promise<readonly { readonly id: string; readonly tool: string; readonly status: string }[]>;
  open(): Promise<Page>;
  /** What is stored of the edit. */
  edit(): Promise<Record<string, unknown>>;
}

async function person(): Promise<Person> {
  const { account, key } = await service.account(1000);
  const { token } = await service.operator.createSession(account.id, 3600);
  const cookie = `${plainSessionCookie}=${token}`;
  const api: Person['api'] = async (path, init = {}) =>
    (
      await fetch(`${service.base}/api/v1/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
    ).json();
  const body = JSON.stringify({ filename: 'talk.wav', sizeBytes: said.wav.length, contentType: 'audio/wav' });
  const made = await api('files', { method: 'POST', body });
  await fetch(made.upload.url, { method: 'PUT', headers: made.upload.headers, body: new Uint8Array(said.wav) });
  await api(`files/${made.file.id}?wait=30`);
  const file = made.file.id as string;
  return {
    cookie,
    file,
    api,
    async press(what, order) {
      const answer = await fetch(`${service.base}/edit/${file}/${what}`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', origin: service.base },
        body: JSON.stringify(order),
      });
      expect(answer.status).toBe(201);
      return ((await answer.json()) as { id: string }).id;
    },
    edit: async () => (await service.service.edits.open(account, file)).edit?.state ?? {},
    jobs: async () => (await api('jobs')).data,
    async open() {
      const page = await browser.open();
      await page.context().addCookies([{ name: plainSessionCookie, value: token, url: service.base }]);
      await page.goto(`${service.base}/edit/${file}`);
      return page;
    },
  };
}

it('makes one job of the same order, and another one once that has been cancelled', async () => {
  gate = Promise.withResolvers();
  const { press, api, jobs } = await person();
  const presses = await Promise.all([1, 2, 3].map(() => press('transcript', { script: null })));
  expect(new Set(presses).size).toBe(1);
  const [first = ''] = presses;
  await api(`jobs/${first}/cancel`, { method: 'POST' });
  await expect.poll(async () => (await api(`jobs/${first}`)).status, { timeout: 30_000 }).toBe('cancelled');
  const second = await press('transcript', { script: null });
  expect(second).not.toBe(first);
  expect(await press('transcript', { script: null })).toBe(second);
  // Another order is another job.
  const cut = { ranges: [[1, 2]], crossfade_ms: 20, free: false };
  const render = await press('render', cut);
  expect(await press('render', cut)).toBe(render);
  expect(await press('render', { ...cut, ranges: [[1, 2.5]] })).not.toBe(render);
  expect(await jobs()).toHaveLength(4);
  gate.resolve();
});

it('goes on with a transcription and a rendering after a reload and on another device', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  gate = Promise.withResolvers();
  const { open, jobs, api, edit } = await person();
  const page = await open();
  await page.getByRole('button', { name: /^Transcribe/ }).click();
  await expect.poll(async () => (await jobs()).length).toBe(1);
  await page.reload();
  const progress = page.getByRole('progressbar', { name: 'Writing down what is said' });
  await progress.waitFor();
  const other = await open();
  await other.getByRole('progressbar', { name: 'Writing down what is said' }).waitFor();
  await keepPicture(other, 'editor-found-again');
  gate.resolve();
  await page.getByText('the first take.').waitFor();
  await other.getByText('the first take.').waitFor();
  expect(await jobs()).toHaveLength(1);

  // A rendering that ends while nobody looks is there when the page is opened again, and a press gives the same.
  gate = Promise.withResolvers();
  await page.getByRole('button', { name: 'Cut: um' }).click();
  await page.getByRole('button', { name: /^Render/ }).click();
  await expect.poll(async () => (await jobs()).length).toBe(2);
  const [{ id } = { id: '' }] = await jobs();
  await expect.poll(async () => (await edit())['cut']).toEqual([[1, 2]]);
  await page.close();
  gate.resolve();
  await expect.poll(async () => (await api(`jobs/${id}`)).status, { timeout: 30_000 }).toBe('succeeded');
  await other.reload();
  const link = other.getByRole('link', { name: /^Download/ });
  await link.waitFor();
  const address = await link.getAttribute('href');
  await other.getByRole('button', { name: 'Go on' }).click();
  await other.getByRole('button', { name: /^Render/ }).click();
  await link.waitFor();
  expect(await link.getAttribute('href')).toBe(address);
  expect(await jobs()).toHaveLength(2);
});
