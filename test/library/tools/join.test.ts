import { describe, expect, it } from 'vitest';
import { joinAudio } from '../../../src/library/tools/join_audio/tool.ts';
import { readAll, scratch } from '../../fixtures/media/media.ts';
import { recording } from '../../fixtures/recordings.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { createLoudness } from '../../../src/library/kernels/loudness.ts';
import { difference, joined, make, seeded, tone } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const path = scratch();
const rate = 48_000;
const random = seeded(5);
const noise = (seconds: number, amplitude: number): Float32Array =>
  make(Math.round(seconds * rate), () => Math.round((random() - 0.5) * amplitude * 65_536) / 32_768);
const join = (files: readonly string[], options: object, prefix: string): ReturnType<typeof runTool> =>
  runTool(joinAudio, { file_ids: files }, options, path(prefix));

describe('join_audio', () => {
  it('joins files of one format end to end, bit for bit', async () => {
    const parts = [noise(1.1, 0.2), noise(0.7, 0.2), noise(2, 0.2)];
    const files = parts.map((plane, index) => writeWav(path(`hard-${index}.wav`), [plane], rate));
    const { path: out } = await join(files, { match_loudness: false }, 'hard-');
    expect(difference(readAll(out).planes[0] as Float32Array, joined(...parts))).toBe(0);
  });

  it('overlaps by the crossfade with equal power, at the exact frame, however long the files', async () => {
    const parts = [noise(1.1, 0.2), noise(0.4, 0.2), noise(2, 0.2)];
    const files = parts.map((plane, index) => writeWav(path(`fade-${index}.wav`), [plane], rate, 'f32'));
    const { path: out, warnings } = await join(files, { match_loudness: false, crossfade_ms: 150 }, 'fade-');
    const overlap = 0.15 * rate;
    const expected = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0) - 2 * overlap);
    let at = 0;
    for (const [index, part] of parts.entries()) {
      for (const [frame, value] of part.entries()) {
        const fadeIn = index > 0 && frame < overlap ? Math.sin((((frame + 0.5) / overlap) * Math.PI) / 2) : 1;
        const left = part.length - frame;
        const fadeOut = index < 2 && left <= overlap ? Math.cos((((overlap - left + 0.5) / overlap) * Math.PI) / 2) : 1;
        expected[at + frame] = (expected[at + frame] as number) + value * fadeIn * fadeOut;
      }
      at += part.length - overlap;
    }
    const read = readAll(out).planes[0] as Float32Array;
    expect(read.length).toBe(expected.length);
    expect(difference(read, expected)).toBeLessThan(1e-6);
    expect(warnings).toEqual([]);
  });

  it('keeps one level over an overlap of equal, like and unlike sounds', async () => {
    const [one, other] = [noise(2, 0.2), noise(2, 0.2)];
    const overlap = 0.5 * rate;
    const levelDb = (plane: Float32Array): number =>
      10 * Math.log10(plane.reduce((sum, x) => sum + x * x, 0) / plane.length);
    for (const alike of [0, 0.6, 1]) {
      // The beginning of the second file sounds `alike` the end of the first.
      const second = other.map((value, frame) => {
        const same = one[one.length - overlap + frame] ?? 0;
        return frame < overlap ? alike * same + Math.sqrt(1 - alike * alike) * value : value;
      });
      const files = [one, second].map((plane, index) => writeWav(path(`alike-${index}.wav`), [plane], rate, 'f32'));
      const { path: out } = await join(files, { match_loudness: false, crossfade_ms: 500 }, 'alike-');
      const read = readAll(out).planes[0] as Float32Array;
      const middle = one.length - overlap / 2;
      const change = levelDb(read.slice(middle - 4800, middle + 4800)) - levelDb(one);
      expect(Math.abs(change)).toBeLessThan(0.2);
    }
  });

  it('shortens an overlap that a short file has no room for, and says so', async () => {
    const files = [noise(2, 0.2), noise(0.2, 0.2), noise(2, 0.2)].map((plane, index) =>
      writeWav(path(`short-${index}.wav`), [plane], rate, 'f32'),
    );
    const { path: out, warnings } = await join(files, { match_loudness: false, crossfade_ms: 1000 }, 'short-');
    expect(warnings.map((warning) => warning.code)).toEqual(['crossfade_shortened']);
    expect(readAll(out).planes[0]?.length).toBe(4.2 * rate - 2 * 0.1 * rate);
  });

  it('brings different rates and channels together, each part in its place', async () => {
    const left = writeWav(path('mix-8k.wav'), [tone(8000 * 2, 8000, 440, -12)], 8000);
    const right = writeWav(path('mix-48k.wav'), [tone(rate * 2, rate, 880, -12), tone(rate * 2, rate, 660, -12)], rate);
    const { path: out, result } = await join([left, right], { match_loudness: false, output_format: 'flac' }, 'mixed-');
    const read = readAll(out);
    expect([read.format.sampleRate, read.planes.length]).toEqual([48_000, 2]);
    expect(Math.abs((read.planes[0]?.length ?? 0) - 4 * rate)).toBeLessThanOrEqual(1);
    expect(result['sampleRate']).toBe(48_000);
    // The mono part sounds on both sides.
    expect(
      difference((read.planes[0] as Float32Array).slice(0, rate), (read.planes[1] as Float32Array).slice(0, rate)),
    ).toBe(0);
  });

  it('matches loudness: every part within 0.1 LU of the same level', slow, async () => {
    const names = ['jfk.wav', 'austen-0870.wav', 'sonnet001.mp3'] as const;
    const files = names.map((name) => recording(name));
    const { path: out, result } = await join(files, { output_format: 'wav' }, 'matched-');
    const read = readAll(out);
    const parts = result['files'] as { startSeconds: number; durationSeconds: number }[];
    for (const part of parts) {
      const from = Math.round(part.startSeconds * read.format.sampleRate);
      const meter = createLoudness({ sampleRate: read.format.sampleRate, weights: [1, 1] });
      meter.push(
        read.planes.map((plane) => plane.slice(from, from + Math.round(part.durationSeconds * read.format.sampleRate))),
      );
      // The limiter may take a little off the part with the highest peaks.
      expect(Math.abs((meter.result().integratedLufs ?? 0) - (result['targetLufs'] as number))).toBeLessThan(
        result['limited'] === true ? 0.3 : 0.1,
      );
    }
  });
});
