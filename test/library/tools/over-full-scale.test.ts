// Float sound above full scale, and what is no number in it: nothing of it is lost without a word.
import { describe, expect, it } from 'vitest';
import { adjustLoudness } from '../../../src/library/tools/adjust_loudness/tool.ts';
import { convertAudio } from '../../../src/library/tools/convert_audio/tool.ts';
import { cutAudio } from '../../../src/library/tools/cut_audio/tool.ts';
import { removeNoise } from '../../../src/library/tools/remove_noise/tool.ts';
import { readAll, scratch, writeAll } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { maxAbs, toDb, voice } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 16_000;
const quiet = voice(3 * rate, rate, 5);
const loud = quiet.map((sample) => (sample * 10 ** (14 / 20)) / maxAbs(quiet));
const over = loud.reduce((sum, sample) => sum + (Math.abs(sample) > 1 ? 1 : 0), 0);
const messages = (warnings: readonly { readonly code: string; readonly message: string }[]): string[] =>
  warnings.map(({ code, message }) => `${code}: ${message}`);

describe('float above full scale', () => {
  it.each(['flac', 'wav'] as const)('is counted where it is clipped, and fits on demand: %s', async (format) => {
    // FLAC has no floats; WAV has them, but a change of rate makes 32 bits of it as well.
    const input = writeWav(at('loud.wav'), [loud], rate, 'f32');
    const { path, warnings } = await runTool(convertAudio, input, { format }, at('plain-'));
    if (format === 'wav') {
      expect(readAll(path).planes[0]).toEqual(loud);
      expect(warnings).toEqual([]);
    } else
      expect(messages(warnings)).toEqual([
        `over_full_scale: ${over} samples lie above full scale, by up to 14.0 dB, and were clipped; ` +
          'a gain of -14.0 dB saves them (fit_peaks of convert)',
      ]);
    const fitted = await runTool(convertAudio, input, { format, fit_peaks: true }, at('fitted-'));
    expect(messages(fitted.warnings)).toEqual([
      'peaks_fitted: Peaks lay above full scale: the level was lowered by 14 dB so that they fit',
    ]);
    const [plane] = readAll(fitted.path).planes as [Float32Array];
    expect(toDb(maxAbs(plane))).toBeLessThanOrEqual(0);
    expect(toDb(maxAbs(plane))).toBeGreaterThan(-0.2);
  });

  it('of lossy sound is said, since players clip it', async () => {
    const input = writeWav(at('loud.wav'), [loud], rate, 'f32');
    const { path, warnings } = await runTool(convertAudio, input, { format: 'opus' }, at('lossy-'));
    expect(maxAbs(readAll(path).planes[0] as Float32Array)).toBeGreaterThan(1);
    expect(messages(warnings)).toEqual([
      expect.stringMatching(/^over_full_scale: \d+ samples lie .*: opus holds them, but players clip them; /),
    ]);
  });

  it('stays float in AIFF', slow, async () => {
    const input = writeAll(at('loud.aiff'), [loud], rate, { format: 'aiff', bitDepth: '32f' }).path;
    expect(readAll(input).planes[0]).toEqual(loud);
    const cut = await runTool(cutAudio, input, { ranges: [[1, 2]], crossfade_ms: 0 }, at('cut-'));
    const [plane] = readAll(cut.path).planes as [Float32Array];
    expect(plane.subarray(0, rate)).toEqual(loud.subarray(0, rate));
    expect(readAll(cut.path).facts.audio?.codec).toBe('pcm_f32be');
    const cleaned = await runTool(removeNoise, input, { auto_volume: false }, at('cleaned-'));
    expect(readAll(cleaned.path).facts.audio?.codec).toBe('pcm_f32be');
    expect([...cut.warnings, ...cleaned.warnings].map(({ code }) => code)).not.toContain('over_full_scale');
  });
});

it('what is no number becomes silence, and is said, by tools that keep floats', async () => {
  const broken = quiet.slice();
  for (const [index, bad] of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e30].entries())
    broken[rate + index] = bad;
  const input = writeWav(at('broken.wav'), [broken], rate, 'f32');
  const said = 'broken_samples: 4 samples are not numbers, or far too large: silence is in their place';
  const loudness = await runTool(adjustLoudness, input, {}, at('loudness-'));
  const converted = await runTool(convertAudio, input, { format: 'wav' }, at('converted-'));
  const cut = await runTool(cutAudio, input, { ranges: [[2, 2.5]] }, at('cut-'));
  for (const { path, warnings } of [loudness, converted, cut]) {
    const [plane] = readAll(path).planes as [Float32Array];
    expect([...plane.subarray(rate, rate + 4)]).toEqual([0, 0, 0, 0]);
    expect(messages(warnings)).toContain(said);
  }
});
