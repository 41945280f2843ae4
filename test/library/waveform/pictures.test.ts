import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawAll, drawSpectrogram, drawWaveform } from '../../../src/library/waveform/draw.ts';
import { columnsOf, meterOutline, type Outline } from '../../../src/library/waveform/outline.ts';
import { heatColor } from '../../../src/library/waveform/render-spectrogram.ts';
import { meterSpectrogram } from '../../../src/library/waveform/spectrogram.ts';
import { clockLabel, frequencyTicks, timeTicks } from '../../../src/library/waveform/ticks.ts';
import { scratch, thrownBy } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { make, noise, tone, voice } from '../../fixtures/media/signals.ts';

const at = scratch();
const rate = 48_000;

/** The picture's pixels, by a decoder that is not ours. */
async function pixelsOf(picture: Buffer) {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const pixel = (x: number, y: number): number[] => [
    ...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4),
  ];
  return { width: info.width, height: info.height, pixel };
}

/** Least, greatest and root mean square of the samples of each column, from the samples themselves. */
function truth(planes: readonly Float32Array[], width: number) {
  const perColumn = (planes[0] as Float32Array).length / width;
  return Array.from({ length: width }, (_, x) => {
    const samples = planes.flatMap((plane) => [...plane.subarray(x * perColumn, (x + 1) * perColumn)]);
    const squares = samples.reduce((sum, sample) => sum + sample * sample, 0);
    return { low: Math.min(...samples), high: Math.max(...samples), rms: Math.sqrt(squares / samples.length) };
  });
}

/** Rows of ink in a column between two rows, parts of rows counted by their opacity. */
const inked = (
  picture: Awaited<ReturnType<typeof pixelsOf>>,
  x: number,
  from: number,
  to: number,
  full = 255,
): number => {
  let sum = 0;
  for (let y = from; y < to; y += 1) sum += (picture.pixel(x, y)[3] as number) / full;
  return sum;
};

describe('drawWaveform', () => {
  // Both channels swell, apart from each other; 160 frames to a column.
  const planes = [voice(rate, rate, 1), voice(rate, rate, 2, 0.2).map((sample) => sample + 0.05)];

  it('shows the least and greatest sample of each column, and the root mean square as a body inside', async () => {
    const path = writeWav(at('p.wav'), planes, rate, 'f32');
    const outer = await pixelsOf(await drawWaveform(path, { width: 300, height: 200, rms: false }));
    const filled = await pixelsOf(await drawWaveform(path, { width: 300, height: 200 }));
    expect([outer.width, outer.height]).toEqual([300, 200]);
    for (const [x, { low, high, rms }] of truth(planes, 300).entries()) {
      expect(Math.abs(inked(outer, x, 0, 100) - Math.max(0.5, high * 100))).toBeLessThan(0.02);
      expect(Math.abs(inked(outer, x, 100, 200) - Math.max(0.5, -low * 100))).toBeLessThan(0.02);
      const body = Array.from({ length: 200 }, (_, y) => filled.pixel(x, y)[3] as number).filter(
        (alpha) => alpha > 200,
      );
      const expected = Math.max(0.5, Math.min(rms, high) * 100) + Math.max(0.5, Math.min(rms, -low) * 100);
      expect(Math.abs(body.length - expected)).toBeLessThan(2.1);
    }
  });

  it('gives each channel a lane, stretches to full height, and leaves room for an axis', async () => {
    const loud = make(rate, (i) => (i % 2 === 0 ? 0.1 : -0.1));
    const path = writeWav(at('s.wav'), [loud, new Float32Array(rate)], rate, 'f32');
    const split = await pixelsOf(
      await drawWaveform(path, { width: 100, height: 200, splitChannels: true, rms: false }),
    );
    expect(inked(split, 50, 0, 100)).toBeCloseTo(0.1 * 98, 0);
    expect(inked(split, 50, 100, 200)).toBeCloseTo(1, 1);
    const tall = await pixelsOf(
      await drawWaveform(path, {
        width: 100,
        height: 200,
        splitChannels: true,
        rms: false,
        normalize: true,
        axis: true,
      }),
    );
    // The axis with its labels takes the lowest rows, over the whole width.
    const lowest = Array.from({ length: 200 }, (_, y) => y).filter((y) =>
      Array.from({ length: 100 }, (_, x) => tall.pixel(x, y)).every(([red, , , alpha]) => red === 128 && alpha === 255),
    );
    expect(lowest).toEqual([187]);
    expect(inked(tall, 50, 0, 93)).toBeGreaterThan(90);
    expect(inked(tall, 50, 95, 186)).toBeCloseTo(1, 1);
  });

  it('is the same bytes for the same file, and refuses sizes and colours before it reads', async () => {
    const path = writeWav(at('b.wav'), planes, rate);
    const options = { axis: true, splitChannels: true, width: 200, height: 100 };
    expect((await drawWaveform(path, options)).equals(await drawWaveform(path, options))).toBe(true);
    for (const options of [{ width: 15 }, { height: 4097 }, { color: 'red' }, { axisColor: '#12' }])
      expect((await thrownBy(() => drawWaveform(at('gone.wav'), options))).code).toBe('bad_request');
    expect((await thrownBy(() => drawWaveform(at('gone.wav')))).code).toBe('not_found');
  });
});

describe('outline', () => {
  const outlineOf = (planes: readonly Float32Array[], block: number): Outline => {
    const meter = meterOutline();
    meter.open({ sampleRate: rate, channels: planes.length, layout: 'stereo' });
    const { length } = planes[0] as Float32Array;
    for (let from = 0; from < length; from += block) {
      const part = planes.map((plane) => plane.subarray(from, from + block));
      meter.process({ planes: part, frames: (part[0] as Float32Array).length }, () => undefined);
    }
    return meter.result();
  };

  it('keeps 65536 bins of any length, whatever the blocks, and takes broken samples for silence', () => {
    const long = noise(65_536 * 16 + 777, 7);
    long[5] = Number.NaN;
    long[6] = Infinity;
    const outline = outlineOf([long], 48_000);
    expect([outline.framesPerBin, outline.bins]).toEqual([32, 32_793]);
    const [channel] = outline.channels;
    long[5] = long[6] = 0;
    for (const bin of [0, 1, 20_000, 32_768, 32_792]) {
      const samples = long.subarray(bin * 32, (bin + 1) * 32);
      expect(channel?.least[bin]).toBe(Math.min(...samples));
      expect(channel?.greatest[bin]).toBe(Math.max(...samples));
      const mean = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      expect(channel?.meanSquare[bin]).toBeCloseTo(mean, 6);
    }
    const short = [noise(5000, 1), noise(5000, 2)];
    expect(outlineOf(short, 17)).toEqual(outlineOf(short, 5000));
    const one = outlineOf([new Float32Array([0.5])], 1);
    expect([...columnsOf(one, one.channels, 3).high]).toEqual([0.5, 0.5, 0.5]);
  });
});

describe('drawSpectrogram', () => {
  const hertzOfRow = {
    linear: (y: number, height: number): number => 24_000 * (1 - (y + 0.5) / height),
    log: (y: number, height: number): number => 40 * (24_000 / 40) ** (1 - (y + 0.5) / height),
  };

  it.each(['linear', 'log'] as const)('a tone lights its row, at its level and in its time (%s)', async (scale) => {
    for (const hertz of [440, 3000, 15_000]) {
      // The second half only, at -20 dB.
      const plane = tone(2 * rate, rate, hertz, -20).fill(0, 0, rate);
      const path = writeWav(at(`${hertz}.wav`), [plane], rate, 'f32');
      const [width, height] = [64, 400];
      const picture = await pixelsOf(await drawSpectrogram(path, { width, height, scale, axis: false }));
      const brightness = (x: number, y: number): number =>
        picture
          .pixel(x, y)
          .slice(0, 3)
          .reduce((sum, part) => sum + part);
      const rows = Array.from({ length: height }, (_, y) => y);
      const brightest = rows.reduce((best, y) => (brightness(48, y) > brightness(48, best) ? y : best));
      const [below, above] = [brightest + 1, brightest - 1].map((y) => hertzOfRow[scale](y, height)) as [
        number,
        number,
      ];
      expect(below - 21).toBeLessThan(hertz);
      expect(above + 21).toBeGreaterThan(hertz);
      // A line between two bins is up to 1.4 dB lower under a Hann window; 100 dB are spread over the colours.
      const levels = [0.8, 0.79, 0.785].map((share) => heatColor(share).slice(0, 3));
      const drawn = picture.pixel(48, brightest);
      const distance = Math.min(
        ...levels.map((level) => Math.max(...level.map((part, index) => Math.abs(part - (drawn[index] as number))))),
      );
      expect(distance).toBeLessThan(6);
      expect(picture.pixel(10, brightest)).toEqual([...heatColor(0)]);
    }
  });

  it('draws channels apart, with axes that leave the picture its place', async () => {
    const path = writeWav(at('lr.wav'), [tone(rate, rate, 1000, 0), new Float32Array(rate)], rate, 'f32');
    const options = { width: 400, height: 300, splitChannels: true };
    const picture = await pixelsOf(await drawSpectrogram(path, options));
    const dark = [...heatColor(0)];
    const rowsOf = (from: number, to: number): number[][] =>
      Array.from({ length: to - from }, (_, row) => picture.pixel(200, from + row));
    expect(rowsOf(10, 140).some((pixel) => (pixel[0] as number) > 240)).toBe(true);
    expect(rowsOf(155, 280).every((pixel) => pixel.join() === dark.join())).toBe(true);
    expect(picture.pixel(1, 1)).toEqual([16, 16, 20, 255]);
    // The axis is dark on white.
    const light = await pixelsOf(await drawSpectrogram(path, { ...options, background: '#ffffff' }));
    const [onDark, onLight] = [picture, light].map((each) =>
      Array.from({ length: 300 }, (_, y) => each.pixel(200, y).join()).includes(
        each === light ? '64,64,64,255' : '200,200,200,255',
      ),
    );
    expect([onDark, onLight]).toEqual([true, true]);
    expect((await drawSpectrogram(path, options)).equals(await drawSpectrogram(path, options))).toBe(true);
    for (const wrong of [{ width: 9000 }, { topDb: 30 }, { rangeDb: 1 }, { background: 'x' }])
      expect((await thrownBy(() => drawSpectrogram(at('gone.wav'), wrong))).code).toBe('bad_request');
    for (const wrong of [{ highHz: 0.5 }, { lowHz: 30_000 }, { lowHz: 0 }, { width: 16, height: 16 }])
      expect((await thrownBy(() => drawSpectrogram(path, wrong))).code).toBe('bad_request');
  });

  it('holds no more columns than twice the width, and is the same whatever the blocks', () => {
    const plane = noise(10 * rate, 3);
    const measure = (block: number) => {
      const meter = meterSpectrogram({ width: 20, expectedFrames: null });
      meter.open({ sampleRate: rate, channels: 1, layout: 'mono' });
      for (let from = 0; from < plane.length; from += block) {
        const part = plane.subarray(from, from + block);
        meter.process({ planes: [part], frames: part.length }, () => undefined);
      }
      meter.flush(() => undefined);
      return meter.result();
    };
    const once = measure(plane.length);
    expect(once.columns).toBeGreaterThanOrEqual(20);
    expect(once.columns).toBeLessThanOrEqual(40);
    expect(once.columns * once.framesPerColumn).toBeGreaterThanOrEqual(plane.length);
    expect(measure(30_001)).toEqual(once);
    // Parseval: white noise has its mean square in all lines together; a full-scale sine's line is 1, its mean square
    // 1/2.
    const { power } = once.layers[0]!;
    const perColumn = power.reduce((sum, value) => sum + value, 0) / once.columns;
    const meanSquare = plane.reduce((sum, sample) => sum + sample * sample, 0) / plane.length;
    expect(perColumn / 2 / 1.5).toBeCloseTo(meanSquare, 2);
  });

  it('comes with the waveform and the peaks from one reading', async () => {
    const path = writeWav(at('all.wav'), [voice(rate, rate)], rate);
    const { peaks, waveform, spectrogram } = await drawAll(path, {
      waveform: { width: 64 },
      spectrogram: { width: 64, axis: false },
    });
    expect(peaks.durationSeconds).toBe(1);
    expect(waveform?.equals(await drawWaveform(path, { width: 64 }))).toBe(true);
    expect(spectrogram?.equals(await drawSpectrogram(path, { width: 64, axis: false }))).toBe(true);
  });
});

describe('ticks', () => {
  it('of time are at even clock times, as many as fit', () => {
    const labels = (seconds: number, most: number): string[] =>
      timeTicks(0, seconds, (step) => seconds / step <= most).flatMap(({ label }) => (label === '' ? [] : [label]));
    expect(labels(11, 12)).toEqual(Array.from({ length: 12 }, (_, second) => `0:${String(second).padStart(2, '0')}`));
    expect(labels(3600, 6)).toEqual(['0:00:00', '0:10:00', '0:20:00', '0:30:00', '0:40:00', '0:50:00', '1:00:00']);
    expect(labels(0.3, 4)).toEqual(['0:00.0', '0:00.1', '0:00.2', '0:00.3']);
    expect(timeTicks(95, 125, (step) => step >= 10).filter(({ label }) => label !== '')).toEqual([
      { at: 100, label: '1:40' },
      { at: 110, label: '1:50' },
      { at: 120, label: '2:00' },
    ]);
    expect(clockLabel(59.96, 0.01, 100)).toBe('0:59.96');
  });

  it('of frequency are round numbers on both scales', () => {
    const labels = (scale: 'log' | 'linear'): string[] =>
      frequencyTicks(scale === 'log' ? 40 : 0, 22_050, scale, (a, b) =>
        scale === 'log' ? b / a > 1.9 : b - a >= 4000,
      ).flatMap(({ label }) => (label === '' ? [] : [label]));
    expect(labels('log')).toEqual(['50', '100', '200', '500', '1k', '2k', '5k', '10k', '20k']);
    expect(labels('linear')).toEqual(['0', '5k', '10k', '15k', '20k']);
  });
});
