// @module-tag slow
// remove_noise of recordings in which no one speaks: their loudness is theirs, and the result says so.
import { describe, expect, it } from 'vitest';
import { chooseNoiseEngine } from '../../../../src/library/dsp/denoise/engines.ts';
import { removeNoise } from '../../../../src/library/tools/remove_noise/tool.ts';
import { readAll, scratch } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { runTool, type ToolRun } from '../../../fixtures/media/run-context.ts';
import { noise, rms, toDb } from '../../../fixtures/media/signals.ts';
import { seeded } from '../../../fixtures/random.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { pieces } from '../../../fixtures/sounds/music.ts';
import { otherPieces } from '../../../fixtures/sounds/second-band.ts';

const at = scratch();
const rate = 48_000;
const seconds = 5;
/** RNNoise keeps half of a drum's power, and what is left of it passes for a voice. */
const hasNetwork = (await chooseNoiseEngine(undefined)).id === 'deepfilternet3';
const remove = (planes: readonly Float32Array[], name: string): Promise<ToolRun> =>
  runTool(removeNoise, writeWav(at(name), planes, rate, 'f32'), {}, at('work-'));
const codes = ({ warnings }: ToolRun): string[] => warnings.map(({ code }) => code);

describe.runIf(hasNetwork)('without a voice', () => {
  it.for([
    ['drums', pieces['drums']],
    ['a drum computer', otherPieces['drum computer']],
  ] as const)('%s keep their loudness, and a warning says why', async ([name, play]) => {
    const run = await remove([play?.(seconds) as Float32Array], `${name}.wav`);
    expect(codes(run)).toContain('no_voice');
    expect(run.result).toMatchObject({ gainDb: 0, limited: false });
    const { integratedLufs } = run.result['input'] as { integratedLufs: number };
    expect((run.result['output'] as { integratedLufs: number }).integratedLufs).toBeLessThan(integratedLufs + 0.5);
  });
});

/** Strokes of a castanet, eight a second. */
function castanets(): Float32Array<ArrayBuffer> {
  const random = seeded(63);
  const stroke = Float32Array.from(
    { length: 2880 },
    (_, i) => 0.3 * (Math.sin(i * 0.31) + 0.6 * Math.sin(i * 0.5) + random() - 0.5) * Math.exp(-i / 384),
  );
  const played = new Float32Array(seconds * rate);
  for (let from = 0; from + stroke.length < played.length; from += rate / 8) played.set(stroke, from);
  return played;
}

it('castanets stay as they are where no one speaks, and a warning says why', async () => {
  const played = castanets();
  const input = writeWav(at('castanets.wav'), [played], rate, 'f32');
  for (const auto_volume of [false, true]) {
    const run = await runTool(removeNoise, input, { auto_volume }, at('work-'));
    expect(codes(run)).toEqual(['no_voice']);
    expect(readAll(run.path).planes[0]).toEqual(played);
  }
});

it('knocks between words are noise, and so is hiss without a word', async () => {
  const voice = (readAll(recording('clean_speech_48k.wav')).planes[0] as Float32Array).slice(0, seconds * rate);
  const silence = new Float32Array(seconds * rate);
  const input = Float32Array.from([...castanets(), ...voice, ...silence]);
  const path = writeWav(at('knocks.wav'), [input], rate, 'f32');
  const { path: written, warnings } = await runTool(removeNoise, path, { auto_volume: false }, at('work-'));
  expect(warnings).toEqual([]);
  const [before, after] = [input, readAll(written).planes[0] as Float32Array].map((plane) =>
    toDb(rms(plane.slice(0, 4 * rate))),
  ) as [number, number];
  expect(after).toBeLessThan(before - 20);
  const hiss = writeWav(at('hiss.wav'), [noise(seconds * rate, 9, 0.1)], rate, 'f32');
  const hissed = await runTool(removeNoise, hiss, { auto_volume: false }, at('work-'));
  expect(codes(hissed)).toEqual(['no_voice']);
  expect(toDb(rms((readAll(hissed.path).planes[0] as Float32Array).slice(2 * rate)))).toBeLessThan(-50);
});

it('a voice, a quiet one and one over drums are brought to the level', async () => {
  const voice = (readAll(recording('clean_speech_48k.wav')).planes[0] as Float32Array).slice(0, seconds * rate);
  const drums = pieces['drums']?.(seconds) as Float32Array;
  const hiss = noise(voice.length, 4, 0.002);
  const sounds = {
    voice: voice.map((x, i) => x + (hiss[i] as number)),
    quiet: voice.map((x, i) => 0.02 * (x + (hiss[i] as number))),
    'over drums': voice.map((x, i) => 2 * x + 0.1 * (drums[i] as number)),
  };
  for (const [name, plane] of Object.entries(sounds)) {
    // Sides of opposite phases do not cancel.
    const run = await remove(name === 'quiet' ? [plane, plane.map((x) => -x)] : [plane], `${name}.wav`);
    expect(codes(run), name).not.toContain('no_voice');
    expect((run.result['output'] as { integratedLufs: number }).integratedLufs, name).toBeCloseTo(-16, 0);
  }
});
