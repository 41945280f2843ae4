// @module-tag slow
// Surround sound to a format of two channels: gain and limiter are for what is heard, which is the mix.
import { expect, it } from 'vitest';
import { adjustLoudness } from '../../../src/library/tools/adjust_loudness/tool.ts';
import { joinAudio } from '../../../src/library/tools/join_audio/tool.ts';
import { levelSpeakers } from '../../../src/library/tools/level_speakers/tool.ts';
import { babble } from '../dsp/speech-like.ts';
import { readAll, scratch, writeAll } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';

const file = scratch();
const rate = 48_000;

/** A voice in all channels, and knocks in one after the other: their peaks are the channels', not the mix's. */
function surround(name: string, hz: number, fromSeconds: number, seconds = 6): string {
  const speech = babble(seconds * rate, rate, hz, 5);
  const planes = Array.from({ length: 6 }, (_, channel) =>
    speech.map((x, frame) => {
      const knock = Math.floor(frame / rate) % 6 === channel ? Math.exp(-(frame % rate) / 300) : 0;
      const speaks = Math.floor(frame / rate / 3) % 2 === fromSeconds ? 0.1 : 0.0005;
      return speaks * x + 0.6 * knock * Math.sin(frame * 0.2);
    }),
  );
  writeAll(file(name), planes, rate, { format: 'flac' });
  return file(name);
}

function mixed(path: string, name: string): string {
  // Floats, which hold what adds up above full scale.
  return writeWav(file(name), readAll(path, { rate, channels: 2 }).planes, rate, 'f32');
}

interface Reading {
  readonly integratedLufs: number;
  readonly truePeakDbtp: number;
}

it('level_speakers by tracks limits the mix', async () => {
  const tracks = [surround('a.flac', 115, 0), surround('b.flac', 190, 1)];
  const stereo = tracks.map((path, index) => mixed(path, `mixed-${index}.wav`));
  const options = { target: 'custom', custom_lufs: -10, output_format: 'mp3' };
  const [own, other] = [
    await runTool(levelSpeakers, { track_file_ids: tracks }, options, file('own-')),
    await runTool(levelSpeakers, { track_file_ids: stereo }, options, file('other-')),
  ];
  expect(own.warnings.map(({ code }) => code)).toEqual([
    'channels_reduced',
    'channels_reduced',
    ...other.warnings.map(({ code }) => code),
  ]);
  for (const index of [0, 1]) {
    const [mine, theirs] = [own, other].map(
      ({ result }) => (result['tracks'] as unknown as { gainDb: number; input: Reading; output: Reading }[])[index],
    );
    expect(mine?.input.truePeakDbtp).toBeCloseTo(theirs?.input.truePeakDbtp ?? 0, 0);
    expect(mine?.gainDb).toBeCloseTo(theirs?.gainDb ?? 0, 0);
    expect(mine?.output.truePeakDbtp).toBeCloseTo(theirs?.output.truePeakDbtp ?? 0, 0);
    expect(mine?.output.truePeakDbtp).toBeLessThanOrEqual(-0.95);
  }
  expect((own.result['sum'] as unknown as Reading).integratedLufs).toBeCloseTo(-10, 0);
});

it('join_audio matches and limits the mix', async () => {
  const files = [surround('c.flac', 115, 0, 4), surround('d.flac', 150, 1, 4)];
  const stereo = files.map((path, index) => mixed(path, `joined-${index}.wav`));
  const own = await runTool(joinAudio, { file_ids: files }, { output_format: 'mp3' }, file('join-own-'));
  const other = await runTool(joinAudio, { file_ids: stereo }, { output_format: 'mp3' }, file('join-other-'));
  expect(own.warnings.map(({ code }) => code)).toEqual(['channels_reduced']);
  expect(own.result['channels']).toBe(2);
  expect(own.result['targetLufs']).toBeCloseTo(other.result['targetLufs'] as number, 1);
  expect(own.result['limited']).toBe(other.result['limited']);
  const [mine, theirs] = [own, other].map(({ path }) => readAll(path).planes[0] as Float32Array);
  let apart = 0;
  for (const [frame, x] of (mine as Float32Array).entries())
    apart = Math.max(apart, Math.abs(x - (theirs?.[frame] ?? 0)));
  expect(apart).toBeLessThan(0.01);
});

it('adjust_loudness reaches -14 within a tenth, and its peaks the ceiling', async () => {
  const options = { target: 'custom', custom_lufs: -14, output_format: 'mp3' };
  const run = await runTool(adjustLoudness, { file_id: [surround('e.flac', 120, 0)] }, options, file('loud-'));
  const { integratedLufs, truePeakDbtp } = run.result['output'] as unknown as Reading;
  expect(Math.abs(integratedLufs + 14)).toBeLessThanOrEqual(0.1);
  expect(truePeakDbtp).toBeLessThanOrEqual(-1);
  // No room is left unused: a limiter before the mix left 4 dB of it.
  expect(truePeakDbtp).toBeGreaterThan(-2);
  expect(run.result['limited']).toBe(true);
});
