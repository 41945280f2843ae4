import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { peaks } from '../../../src/library/waveform/peaks.ts';
import { renderWaveform } from '../../../src/library/waveform/render.ts';
import { readAll, scratch, thrownBy, writeAll } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { make, maxAbs, voice } from '../../fixtures/media/signals.ts';

const at = scratch();
const rate = 44_100;

describe('peaks', () => {
  it('every bin is the least and the greatest sample of its stretch, over all channels', async () => {
    const planes = [voice(3 * rate, rate, 1), voice(3 * rate, rate, 2)];
    const path = writeWav(at('p.wav'), planes, rate, 'f32');
    const got = await peaks(path);
    expect(got.durationSeconds).toBe(3);
    expect(got.peak).toBeCloseTo(Math.max(...planes.map(maxAbs)), 6);
    expect(got.levels.map((level) => [level.perSecond, level.count])).toEqual([
      [500, 1500],
      [50, 150],
      [5, 15],
    ]);
    for (const { perSecond, data, count } of got.levels) {
      for (let bin = 0; bin < count; bin += 1) {
        let [low, high] = [1, -1];
        // A frame belongs to the fine bin floor(f * 500 / rate); coarser ones are made of those.
        const [first, end] = [
          Math.ceil((bin * (500 / perSecond) * rate) / 500),
          Math.ceil(((bin + 1) * (500 / perSecond) * rate) / 500),
        ];
        for (const plane of planes)
          for (let f = first; f < Math.min(end, plane.length); f += 1)
            [low, high] = [Math.min(low, plane[f]!), Math.max(high, plane[f]!)];
        expect(Math.abs(data[2 * bin]! - low * 127)).toBeLessThanOrEqual(0.5001);
        expect(Math.abs(data[2 * bin + 1]! - high * 127)).toBeLessThanOrEqual(0.5001);
      }
    }
  });

  it('of an mp3: as long as its sound; progress rises; the signal stops it', async () => {
    const { path } = writeAll(at('p.mp3'), [voice(3 * rate, rate)], rate, { format: 'mp3' });
    const progress: number[] = [];
    const got = await peaks(path, { onProgress: (one) => progress.push(one.progress) });
    expect(got.durationSeconds).toBe(readAll(path).frames / rate);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
    await expect(peaks(path, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    expect((await thrownBy(() => peaks(at('missing.mp3')))).code).toBe('not_found');
  });
});

describe('picture', () => {
  it('stands as high as the sound is loud', async () => {
    // Silence, half scale, full scale, a third of a second each.
    const plane = make(rate, (i) => Math.floor((3 * i) / rate) * 0.5 * (i % 2 === 0 ? 1 : -1));
    const drawn = await renderWaveform(await peaks(writeWav(at('steps.wav'), [plane], rate, 'f32')), {
      width: 300,
      height: 200,
      color: '#ff0000',
      background: '#000000',
    });
    const { data, info } = await sharp(drawn).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([300, 200]);
    const redRows = (x: number): number =>
      Array.from({ length: 200 }, (_, y) => (data[(y * 300 + x) * info.channels] ?? 0) / 255).reduce(
        (sum, share) => sum + share,
        0,
      );
    expect(redRows(50)).toBeCloseTo(1, 0);
    expect(Math.abs(redRows(150) - 100)).toBeLessThan(3);
    expect(Math.abs(redRows(250) - 200)).toBeLessThan(3);
  });

  it('webp, transparency, and sizes and colours that are none', async () => {
    const made = await peaks(writeWav(at('w.wav'), [voice(rate, rate)], rate));
    expect(await sharp(await renderWaveform(made, { format: 'webp' })).metadata()).toMatchObject({
      format: 'webp',
      width: 1600,
      height: 320,
      hasAlpha: true,
    });
    for (const options of [
      { width: 15 },
      { width: 16_385 },
      { height: 10.5 },
      { color: 'red' },
      { background: '#12345' },
    ])
      expect((await thrownBy(() => renderWaveform(made, options))).code).toBe('bad_request');
  });
});
