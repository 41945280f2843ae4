// Jobs of the editor belong to the recording: a reload, another device and a second press find them again.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { keepPicture, useBrowser } from '../../../../fixtures/browser/site.ts';
import { skipHere } from '../../../../fixtures/missing-part.ts';
import { slower } from '../../../../fixtures/rounds.ts';
import { workWithOwnRuns } from '../../../../fixtures/service/own-runs.ts';
import { useServices, type TestService } from '../../../../fixtures/service/service.ts';
import { type Person, personOf } from './person.ts';
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

const person = (): Promise<Person> => personOf(service, browser, said.wav);

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
