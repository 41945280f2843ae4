// An edit goes to an editing program as a timeline, and comes back as its cuts.
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../../fixtures/browser/site.ts';
import { skipHere } from '../../../../fixtures/missing-part.ts';
import { slower } from '../../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../../fixtures/service/service.ts';
import { personOf } from './person.ts';
import { speak, workThatHears } from './spoken.ts';

const services = useServices();
const browser = useBrowser();
const said = speak(['So um this is the first take.', '| We keep the second one.'], [1, 2]);
let folder = '';
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-programs-'));
  service = await services.start({ media: workThatHears(said.transcript, folder) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function exported(page: Page, ending: string): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.locator('#ed-export button', { has: page.getByText(ending, { exact: true }) }).click();
  const path = join(folder, (await download).suggestedFilename());
  await (await download).saveAs(path);
  await page.keyboard.press('Escape');
  return path;
}

/** What the foot says that the edit is long, seconds. */
const editedSeconds = async (page: Page): Promise<number> =>
  Number(/Edited\s+0:([\d.]+)/.exec(await page.locator('.ed-foot dl').innerText())?.[1]);
const isLong = (page: Page, seconds: number): Promise<void> =>
  expect.poll(async () => Math.abs((await editedSeconds(page)) - seconds), { timeout: 10_000 }).toBeLessThan(0.06);

interface Time {
  readonly value: number;
  readonly rate: number;
}
interface Otio {
  readonly tracks: {
    readonly children: {
      readonly kind: string;
      readonly children: { readonly source_range: { readonly start_time: Time; readonly duration: Time } }[];
    }[];
  };
}

it('an edit is exported as a timeline, and an edited timeline is taken back in one step', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const own = await personOf(service, browser, said.wav);
  await own.press('transcript', { script: null });
  const page = await own.open({ viewport: { width: 1280, height: 720 } });
  await page.locator('[data-word="1"]').waitFor();
  await page.getByRole('button', { name: 'Cut all' }).click();
  const otio = await exported(page, 'OTIO');
  expect(otio).toMatch(/talk\.cut\.otio$/);
  const timeline = JSON.parse(readFileSync(otio, 'utf8')) as Otio;
  const clips = timeline.tracks.children.find(({ kind }) => kind === 'Audio')?.children ?? [];
  expect(clips).toHaveLength(2);
  const seconds = ({ value, rate }: Time): number => value / rate;
  const length = clips.reduce((sum, { source_range: { duration } }) => sum + seconds(duration), 0);
  await isLong(page, length);

  // The program has thrown the second part away.
  clips.splice(1, 1);
  const edited = join(folder, 'edited.otio');
  writeFileSync(edited, JSON.stringify(timeline));
  await page.locator('#ed-export input[type=file]').setInputFiles(edited);
  await page.getByText('Took edited.otio over').first().waitFor();
  const [clip] = clips;
  const kept = clip === undefined ? 0 : seconds(clip.source_range.duration);
  await isLong(page, kept);
  expect(await page.locator('del').allInnerTexts()).toContain('We keep the second one.');
  expect(
    readFileSync(await exported(page, 'CSV'), 'utf8')
      .trim()
      .split('\n'),
  ).toHaveLength(2);
  await page.keyboard.press('Control+z');
  await isLong(page, length);

  await page.getByRole('button', { name: 'Export' }).click();
  expect(await findings(page)).toEqual([]);
  await keepPicture(page, 'editor-export');
  await page.keyboard.press('Escape');
  const small = await own.open({ viewport: phone, hasTouch: true });
  await small.locator('[data-word="1"]').waitFor();
  await small.getByRole('button', { name: 'Export' }).click();
  await expectToFit(small);
  await keepPicture(small, 'editor-export-phone');
  expect(browser.complaints).toEqual([]);
});
