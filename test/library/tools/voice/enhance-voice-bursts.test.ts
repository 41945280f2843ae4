// @module-tag slow
// enhance_voice takes out clicks and plosives before its network, says how many, and leaves recordings without them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { enhanceVoice } from '../../../../src/library/tools/enhance_voice/tool.ts';
import { readAll, scratch } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { runTool, type ToolRun } from '../../../fixtures/media/run-context.ts';
import { seeded } from '../../../fixtures/random.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { segmentalSnrDb, type Spoilt, withClicks, withPlosives } from '../../../fixtures/sounds/clicks-and-plosives.ts';

const at = scratch();
const before = process.env['EARSHOT_NOISE_ENGINE'];
beforeAll(() => {
  process.env['EARSHOT_NOISE_ENGINE'] = 'rnnoise';
});
afterAll(() => {
  if (before === undefined) delete process.env['EARSHOT_NOISE_ENGINE'];
  else process.env['EARSHOT_NOISE_ENGINE'] = before;
});

const sampleRate = 48_000;
const voice = (readAll(recording('jfk.wav'), { rate: sampleRate }).planes[0] as Float32Array)
  .slice(0, 8 * sampleRate)
  .map((x) => 0.2 * x);
let files = 0;
async function enhanced(planes: readonly Float32Array[]): Promise<ToolRun & { readonly sound: Float32Array }> {
  files += 1;
  const path = writeWav(at(`${files}.wav`), planes, sampleRate, 'f32');
  const run = await runTool(enhanceVoice, path, { auto_volume: false, noise_reduction: 50 }, at(`${files}-`));
  return { ...run, sound: readAll(run.path).planes[0] as Float32Array };
}
const found = { clippedShare: null, humHz: null };

it('a recording without any has none taken out', async () => {
  expect((await enhanced([voice])).result['repaired']).toEqual({ ...found, clicks: 0, plosives: 0 });
});

it('clicks and plosives are gone from the voice and from the original that is mixed in', async () => {
  const clean = await enhanced([voice]);
  const snr = ({ spots }: Spoilt, sound: Float32Array): number => segmentalSnrDb(sound, clean.sound, sampleRate, spots);
  const clicked = withClicks(voice, sampleRate, seeded(5), [-12, -6]);
  const withoutClicks = await enhanced([clicked.samples]);
  const { clicks } = withoutClicks.result['repaired'] as { clicks: number };
  expect(clicks).toBeGreaterThanOrEqual(3);
  const popped = withPlosives(voice, sampleRate, seeded(6));
  const withoutPlosives = await enhanced([popped.samples]);
  expect(withoutPlosives.result['repaired']).toEqual({ ...found, clicks: 0, plosives: popped.spots.length });
  expect(snr(popped, withoutPlosives.sound)).toBeGreaterThan(10);
  // As many as the channel with the most has, and the other channel as it is.
  const both = await enhanced([clicked.samples, popped.samples]);
  expect(both.result['repaired']).toEqual({ ...found, clicks, plosives: popped.spots.length });
  expect(both.sound).toHaveLength(voice.length);
});
