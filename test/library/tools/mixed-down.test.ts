// @module-tag slow
// Surround sound in a format of two channels: dialogue is as loud as it was, and nothing lies above full scale. Levels
// are read by ffmpeg's ebur128.
import { describe, expect, it } from 'vitest';
import { convertAudio } from '../../../src/library/tools/convert_audio/tool.ts';
import { joinAudio } from '../../../src/library/tools/join_audio/tool.ts';
import { loudnessByFfmpeg, readAll, scratch, writeAll } from '../../fixtures/media/media.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { maxAbs, voice } from '../../fixtures/media/signals.ts';

const at = scratch();
const rate = 48_000;
const speech = voice(2 * rate, rate, 7);
const dialogue = speech.map((x) => (x * 0.5) / maxAbs(speech));
const silence = new Float32Array(dialogue.length);

/** A file with the voice in these channels. */
function surround(channels: number, spoken: readonly number[], gain = 1): string {
  const planes = Array.from({ length: channels }, (_, channel) =>
    spoken.includes(channel) ? dialogue.map((x) => gain * x) : silence,
  );
  return writeAll(at(`${channels}-${spoken.join('')}-${gain}.flac`), planes, rate, { format: 'flac' }).path;
}

const ways = {
  convert: (path: string) => runTool(convertAudio, path, { format: 'wav', channels: 'stereo' }, at('convert-')),
  'convert to mp3': (path: string) => runTool(convertAudio, path, { format: 'mp3' }, at('mp3-')),
  join: (path: string) =>
    runTool(joinAudio, { file_ids: [path, path] }, { match_loudness: false, output_format: 'mp3' }, at('join-')),
} as const;

describe.each(Object.entries(ways))('%s', (name, run) => {
  it.each([6, 8])('keeps the level of a voice in the centre of %i channels', async (channels) => {
    const input = surround(channels, [2]);
    const { path, warnings } = await run(input);
    const [before, after] = [loudnessByFfmpeg(input), loudnessByFfmpeg(path)];
    expect(readAll(path).format.channels).toBe(2);
    expect(Math.abs(after.lufs - before.lufs)).toBeLessThan(0.45);
    expect(warnings.map(({ code }) => code)).not.toContain('peaks_fitted');
  });

  it('stays under full scale where all channels are loud at once, and says so', async () => {
    const { path, warnings } = await run(surround(6, [0, 1, 2, 4, 5], 1.9));
    expect(loudnessByFfmpeg(path).truePeak).toBeLessThanOrEqual(name === 'convert' ? -0.9 : 0);
    if (name !== 'join') expect(warnings.map(({ code }) => code)).toContain('peaks_fitted');
  });
});

it('the mix of surround is where its channels were, to the sample', async () => {
  const { path } = await ways.convert(surround(6, [2]));
  const { planes, frames } = readAll(path);
  expect(frames).toBe(dialogue.length);
  const apart = (planes[0] as Float32Array).map((x, i) => x - Math.SQRT1_2 * (dialogue[i] as number));
  expect(maxAbs(apart)).toBeLessThan(1e-4);
});

it('fit_peaks lowers the whole mix by one gain', async () => {
  const input = surround(6, [0, 1, 2, 4, 5], 1.9);
  const { path, warnings } = await runTool(convertAudio, input, { format: 'mp3', fit_peaks: true }, at('fit-'));
  expect(warnings.map(({ code }) => code)).toEqual(['channels_reduced', 'peaks_fitted']);
  expect(loudnessByFfmpeg(path).truePeak).toBeLessThanOrEqual(0);
});
