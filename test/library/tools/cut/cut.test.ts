import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cutAudio } from '../../../../src/library/tools/cut_audio/tool.ts';
import { readAll, scratch, thrownBy, writeAll } from '../../../fixtures/media/media.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { runTool } from '../../../fixtures/media/run-context.ts';
import { difference, joined, make, seeded } from '../../../fixtures/media/signals.ts';

const path = scratch();
const rate = 44_100;
const seed = 7;
console.info(`cut: seed ${seed}`);
const random = seeded(seed);
const noise = [0, 1].map(() => make(5 * rate, () => Math.round((random() - 0.5) * 30_000) / 32_768));

const slice = (plane: Float32Array, from: number, to: number): Float32Array =>
  plane.slice(Math.round(from * rate), Math.round(to * rate));

describe('cut_audio', () => {
  it.each(['wav', 'flac'] as const)(
    'removes ranges given in any order and overlapping, bit for bit, from %s',
    async (format) => {
      const source = path(`noise.${format}`);
      writeAll(source, noise, rate, { format });
      const { path: out, result } = await runTool(
        cutAudio,
        source,
        {
          ranges: [
            [3.3, 3.9],
            [0.5, 1.2501],
            [1, 1.5],
          ],
          crossfade_ms: 0,
        },
        path('cut-'),
      );
      const read = readAll(out);
      for (const [channel, plane] of noise.entries()) {
        const expected = joined(slice(plane, 0, 0.5), slice(plane, 1.5, 3.3), slice(plane, 3.9, 5));
        expect(read.planes[channel]?.length).toBe(expected.length);
        expect(difference(read.planes[channel] as Float32Array, expected)).toBe(0);
      }
      expect(result['removedSeconds']).toBeCloseTo(1.6, 4);
    },
  );

  it('keeps ranges as they are listed, to the bit, also one that comes twice', async () => {
    const source = writeWav(path('order.wav'), noise, rate, 's16');
    const ranges = [
      [3, 5],
      [0.5, 1],
      [0, 3],
      [4, 4.5],
    ] as const;
    const options = { ranges, mode: 'keep', order: 'given', crossfade_ms: 0 };
    const { path: out, result } = await runTool(cutAudio, source, options, path('order-'));
    for (const [channel, plane] of noise.entries()) {
      const expected = joined(...ranges.map(([from, to]) => slice(plane, from, to)));
      expect(difference(readAll(out).planes[channel] as Float32Array, expected)).toBe(0);
    }
    expect(result['keptRanges']).toEqual(ranges);
    const apart = await runTool(cutAudio, source, { ...options, output: 'separate' }, path('apart-'));
    expect(apart.outputs.map(({ durationSeconds }) => durationSeconds)).toEqual([2, 0.5, 3, 0.5]);
  });

  it('makes no more than twice a recording of ranges that are listed again and again', async () => {
    const source = writeWav(path('over.wav'), noise, rate);
    const listed = (times: number) =>
      ({
        ranges: Array.from({ length: times }, (): [number, number] => [0, 5]),
        mode: 'keep',
        order: 'given',
      }) as const;
    const twice = await runTool(cutAudio, source, listed(2), path('twice-'));
    expect(twice.result).toMatchObject({ keptSeconds: 10, removedSeconds: 0 });
    for (const output of ['joined', 'separate'])
      expect(
        (await thrownBy(() => runTool(cutAudio, source, { ...listed(3), output }, path('thrice-')))).toJSON(),
      ).toMatchObject({ code: 'limit_exceeded', message: expect.stringMatching(/twice .* 10\.000 s.* 15\.000 s$/) });
    // Before any work, too; what the file declares may be half a second less than it holds.
    const told = { format: 'wav', durationSeconds: 5, hasAudio: true, hasVideo: false };
    const refusals = (times: number): readonly { code: string }[] =>
      cutAudio.plan({ file_id: [told] }, cutAudio.parseOptions(listed(times))).refusals ?? [];
    expect(refusals(2)).toEqual([]);
    expect(refusals(3)).toMatchObject([{ code: 'limit_exceeded', message: expect.stringMatching(/15\.000 s$/) }]);
    const again = { output: 'joined', crossfade_ms: 10, keep_encoding: false, ...listed(40) } as const;
    expect(cutAudio.planWindow?.(again, 3)).toMatchObject({
      optionsWhenCut: {
        ranges: [
          [0, 3],
          [0, 3],
        ],
      },
    });
  });

  it('moves no passage of a video, packet, or removed range, and says so before', async () => {
    const video = { format: 'mp4', hasVideo: true, hasAudio: true, durationSeconds: 5 };
    const given = {
      mode: 'keep',
      order: 'given',
      ranges: [
        [3, 4],
        [0, 1],
      ],
    };
    const planned = cutAudio.plan({ file_id: [video] } as never, { ...given, output: 'joined' } as never);
    expect(planned.refusals?.[0]?.message).toMatch(/received a video with ranges in another order/);
    expect(cutAudio.plan({ file_id: [video] } as never, { ...given, output: 'separate' } as never).refusals).toEqual(
      [],
    );
    const source = writeWav(path('no-order.wav'), noise, rate);
    for (const wrong of [{ mode: 'remove' }, { keep_encoding: true, crossfade_ms: 0 }])
      expect((await thrownBy(() => runTool(cutAudio, source, { ...given, ...wrong }, path('no-')))).message).toMatch(
        /^Expected order given with mode keep/,
      );
  });

  it('crossfades with equal power, centred on the seam, and shifts nothing behind it', async () => {
    const source = writeWav(path('fade.wav'), noise, rate, 'f32');
    const { path: out } = await runTool(cutAudio, source, { ranges: [[1, 2]], crossfade_ms: 40 }, path('fade-'));
    const read = readAll(out);
    const reach = Math.round(0.02 * rate);
    const seam = rate;
    for (const [channel, plane] of noise.entries()) {
      const expected = joined(slice(plane, 0, 1), slice(plane, 2, 5));
      for (let k = -reach; k < reach; k += 1) {
        const t = (k + reach + 0.5) / (2 * reach);
        expected[seam + k] =
          (plane[rate + k] as number) * Math.cos((t * Math.PI) / 2) +
          (plane[2 * rate + k] as number) * Math.sin((t * Math.PI) / 2);
      }
      expect(read.planes[channel]?.length).toBe(4 * rate);
      expect(difference(read.planes[channel] as Float32Array, expected)).toBeLessThan(1e-6);
    }
  });

  it('leaves no step larger than the crossfade allows where two constants meet', async () => {
    const steps = [make(3 * rate, (frame) => (frame < 1.5 * rate ? 0.5 : -0.5))];
    const { path: out } = await runTool(
      cutAudio,
      writeWav(path('steps.wav'), steps, rate, 'f32'),
      { ranges: [[1, 2]], crossfade_ms: 20 },
      path('steps-'),
    );
    const plane = readAll(out).planes[0] as Float32Array;
    const steepest = plane.reduce(
      (most, value, frame) => (frame === 0 ? 0 : Math.max(most, Math.abs(value - (plane[frame - 1] as number)))),
      0,
    );
    // From 0.5 cos to -0.5 sin over 20 ms: the slope is at most 0.5 sqrt(2) (pi/2) / frames.
    expect(steepest).toBeLessThanOrEqual((0.5 * Math.SQRT2 * (Math.PI / 2)) / (0.02 * rate) + 1e-6);
    expect(steepest).toBeGreaterThan(0);
  });

  it('keeps ranges as one file or as a file each, in order', async () => {
    const source = writeWav(path('keep.wav'), noise, rate);
    const kept = await runTool(
      cutAudio,
      source,
      {
        ranges: [
          [3, 3.5],
          [1, 2],
        ],
        mode: 'keep',
        crossfade_ms: 0,
      },
      path('keep-'),
    );
    expect(
      difference(
        readAll(kept.path).planes[1] as Float32Array,
        joined(slice(noise[1] as Float32Array, 1, 2), slice(noise[1] as Float32Array, 3, 3.5)),
      ),
    ).toBe(0);
    const parts = await runTool(
      cutAudio,
      source,
      {
        ranges: [
          [3, 3.5],
          [1, 2],
        ],
        mode: 'keep',
        output: 'separate',
      },
      path('parts-'),
    );
    expect(parts.outputs.map((output) => [output.filename, output.durationSeconds])).toEqual([
      ['keep-1.wav', 1],
      ['keep-2.wav', 0.5],
    ]);
    expect(
      difference(
        readAll(parts.outputs[1]?.path ?? '').planes[0] as Float32Array,
        slice(noise[0] as Float32Array, 3, 3.5),
      ),
    ).toBe(0);
  });

  it('cuts a real recording exactly where it is told', async () => {
    const source = recording('jfk.wav');
    const whole = readAll(source).planes[0] as Float32Array;
    const { path: out } = await runTool(cutAudio, source, { ranges: [[2.25, 3.15]], crossfade_ms: 0 }, path('jfk-'));
    const read = readAll(out).planes[0] as Float32Array;
    expect(difference(read, joined(whole.slice(0, 36_000), whole.slice(50_400)))).toBe(0);
  });

  it('names the range that lies outside and the length', async () => {
    const source = writeWav(
      path('short.wav'),
      noise.map((plane) => plane.slice(0, rate)),
      rate,
    );
    for (const ranges of [
      [[0.5, 1.2]],
      [
        [0.2, 0.4],
        [2, 3],
      ],
    ]) {
      const error = await thrownBy(() => runTool(cutAudio, source, { ranges }, path('outside-')));
      expect(error.code).toBe('ranges_outside');
      expect(error.message).toContain('1.000 s');
      expect(error.message).toContain(JSON.stringify(ranges.at(-1)).replace(',', ', '));
    }
  });

  /** FLAC's STREAMINFO counts frames in 36 bits at the end of its byte 13 and after; WAV's data chunk counts bytes. */
  const lying: readonly (readonly [string, 'wav' | 'flac', (file: Buffer) => Buffer])[] = [
    ['a FLAC that is cut off', 'flac', (file) => file.subarray(0, Math.round(file.length * 0.6))],
    ['a FLAC that counts too many frames', 'flac', (file) => (file.writeUInt32BE(9 * rate, 22), file)],
    ['a FLAC that counts too few frames', 'flac', (file) => (file.writeUInt32BE(2 * rate, 22), file)],
    ['a FLAC that does not count', 'flac', (file) => (file.writeUInt32BE(0, 22), file)],
    ['a WAV that is cut off', 'wav', (file) => file.subarray(0, Math.round(file.length * 0.6))],
    [
      'a WAV that counts too few bytes',
      'wav',
      (file) => (file.writeUInt32LE(2 * rate * 4, file.indexOf('data', 0, 'latin1') + 4), file),
    ],
    [
      'a WAV that was never finished',
      'wav',
      (file) => (file.writeUInt32LE(0xffff_ffff, file.indexOf('data', 0, 'latin1') + 4), file),
    ],
  ];
  it.each(lying)('goes by what can be read, not by the header: %s', async (name, format, alter) => {
    const source = path(`${name}.${format}`);
    writeAll(source, noise, rate, { format });
    writeFileSync(source, alter(readFileSync(source)));
    const whole = readAll(source).planes;
    const frames = whole[0]?.length ?? 0;
    const length = frames / rate;
    expect(length).toBeGreaterThan(1.5);
    for (const [ranges, mode] of [
      [[[0.5, 1]], 'remove'],
      [[[0.5, 1]], 'keep'],
      [[[1, length]], 'remove'],
    ] as const) {
      const {
        path: out,
        result,
        processedSeconds,
        warnings,
      } = await runTool(cutAudio, source, { ranges, mode, crossfade_ms: 0 }, path('lying-'));
      const [from, to] = ranges[0];
      for (const [channel, plane] of whole.entries()) {
        const expected =
          mode === 'keep' ? slice(plane, from, to) : joined(slice(plane, 0, from), plane.slice(Math.round(to * rate)));
        expect(difference(readAll(out).planes[channel] as Float32Array, expected)).toBe(0);
      }
      expect(processedSeconds).toBe(length);
      expect((result['keptSeconds'] as number) + (result['removedSeconds'] as number)).toBeCloseTo(length, 6);
      expect(readdirSync(dirname(out))).toEqual([basename(out)]);
      if (name.endsWith('cut off') && to < length && mode === 'remove')
        expect(warnings.map(({ code }) => code)).toContain('truncated');
    }
    const error = await thrownBy(() => runTool(cutAudio, source, { ranges: [[1, length + 1]] }, path('lying-')));
    expect([error.code, error.message]).toEqual(['ranges_outside', expect.stringContaining(`${length.toFixed(3)} s`)]);
  });

  it('says so when everything would be removed, and when a range runs backwards', async () => {
    const source = writeWav(
      path('all.wav'),
      noise.map((plane) => plane.slice(0, rate)),
      rate,
    );
    const all = await thrownBy(() =>
      runTool(
        cutAudio,
        source,
        {
          ranges: [
            [0, 0.6],
            [0.5, 1],
          ],
        },
        path('all-'),
      ),
    );
    expect([all.code, all.message]).toEqual(['bad_request', expect.stringContaining('remove the whole recording')]);
    const backwards = await thrownBy(() => runTool(cutAudio, source, { ranges: [[0.6, 0.5]] }, path('back-')));
    expect([backwards.code, backwards.message]).toEqual(['bad_request', expect.stringContaining('[0.6, 0.5]')]);
  });
});
