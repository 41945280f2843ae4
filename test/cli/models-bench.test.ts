// Recognisers are measured from the command line, and what was measured is shown.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, afterEach, expect, it, vi } from 'vitest';
import { addedModel } from '../../src/library/models/added-models.ts';
import { betterRecogniser } from '../../src/cli/tool/better-recogniser.ts';
import { addRecommended, recommendedRecogniser } from '../../src/library/models/recommended.ts';
import { knownSpeed, rememberSpeed } from '../../src/library/models/recogniser-speeds.ts';
import { addParakeet, tinyParakeets, type TinyParakeet } from '../fixtures/networks/parakeet.ts';
import { earshot, jsonLines } from './support.ts';
import { slow, slower } from '../fixtures/rounds.ts';

let folder = '';
const id = 'hf:owner/parakeet';
const modelId = 'hf--owner--parakeet';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
  addParakeet(join(folder, 'models'), tinyParakeets['patient'] as TinyParakeet);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(
  () => void vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache')).stubEnv('EARSHOT_MODELS', join(folder, 'models')),
);
afterEach(() => void vi.unstubAllEnvs());

const listed = async (): Promise<unknown> =>
  jsonLines(await earshot(folder, ['models', 'list', '--json'])).find(
    ({ result }) => (result as { id?: string } | undefined)?.id === id,
  )?.['result'];

it('models bench says how many times real time, and models shows it from then on', slower, async () => {
  expect(await listed()).toMatchObject({ state: 'installed', speed: null });
  const run = await earshot(folder, ['models', 'bench', id, '--json']);
  expect(run.code, run.stderr).toBe(0);
  const measured = jsonLines(run).findLast(({ result }) => result !== undefined)?.['result'] as Record<string, number>;
  expect(measured).toMatchObject({ id, measuredAt: expect.stringMatching(/^\d{4}-/) as string });
  expect(measured['timesRealTime']).toBeGreaterThan(1);
  expect(measured['cores']).toBeGreaterThanOrEqual(1);
  const { id: _, ...speed } = measured;
  expect(await listed()).toMatchObject({ state: 'installed', speed });
  const { stdout } = await earshot(folder, ['models']);
  expect(stdout).toMatch(/hf:owner\/parakeet\s+installed.*x real time on (one core|\d+ cores)/);
});

it('models names the recommended recogniser until it is there', slow, async () => {
  const { stdout } = await earshot(folder, ['models']);
  expect(stdout).toContain(`Install it with: ${addRecommended}`);
  expect(stdout).toMatch(/recommended\s+700\.0 MB {2}16 kHz, 25 languages, CC-BY-4\.0/);
  addParakeet(
    join(folder, 'recommended'),
    tinyParakeets['patient'] as TinyParakeet,
    recommendedRecogniser.id.slice('hf:'.length),
  );
  const later = await earshot(folder, ['models', '--models-dir', join(folder, 'recommended')]);
  expect(later.stdout).toContain(recommendedRecogniser.id);
  expect(later.stdout).not.toContain('recommended  ');
});

it('a better recogniser is named once, for the languages that it has', async () => {
  const recogniser = { id: 'whisper-base', title: 'Whisper base' };
  expect(await betterRecogniser({ recogniser, language: 'ja' })).toBeNull();
  expect(await betterRecogniser({ recogniser, language: 'en', translatedFrom: 'de' })).toBeNull();
  expect(await betterRecogniser({ recogniser: { id, title: 'other' }, language: 'en' })).toBeNull();
  expect(await betterRecogniser({ recogniser, language: 'de' })).toContain(addRecommended);
  expect(await betterRecogniser({ recogniser, language: 'de' })).toBeNull();
  vi.stubEnv('XDG_CACHE_HOME', '/dev/null/none');
  expect(await betterRecogniser({ recogniser, language: 'de' })).toBeNull();
});

it('models bench refuses what is no recogniser', slow, async () => {
  const run = await earshot(folder, ['models', 'bench', 'silero-vad']);
  expect(run.code).not.toBe(0);
  expect(run.stderr).toContain('Expected a speech recogniser but received silero-vad');
});

it('a speed is that of the very files it was measured with', async () => {
  const model = await addedModel(modelId, join(folder, 'models'));
  if (!model) throw new Error('the model is not there');
  const speed = { timesRealTime: 12.5, cores: 4, measuredAt: new Date(0).toISOString() };
  await rememberSpeed(model, speed);
  expect(await knownSpeed(model)).toEqual(speed);
  const [first, ...others] = model.files;
  expect(await knownSpeed({ ...model, files: [{ ...first, sha256: '0'.repeat(64) } as never, ...others] })).toBeNull();
  vi.stubEnv('XDG_CACHE_HOME', '/dev/null/none');
  await rememberSpeed(model, speed);
  expect(await knownSpeed(model)).toBeNull();
});
