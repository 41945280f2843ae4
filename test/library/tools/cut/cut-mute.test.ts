// Ranges that are muted in place of cut: the time stays, and so does every sample outside of them.
import { describe, expect, it } from 'vitest';
import { softFadeSeconds } from '../../../../src/library/edit/soften.ts';
import { runTimeline } from '../../../../src/library/runtime/recipes/timeline-of-run.ts';
import { cutAudio } from '../../../../src/library/tools/cut_audio/tool.ts';
import { hasFfmpeg, needFfmpeg, packetHashes, readAll, scratch, writeAll } from '../../../fixtures/media/media.ts';
import { quantised, writeWav } from '../../../fixtures/media/pcm-files.ts';
import { runTool } from '../../../fixtures/media/run-context.ts';
import { make, maxAbs, seeded } from '../../../fixtures/media/signals.ts';
import { makeVideo } from '../../../fixtures/media/videos.ts';

const path = scratch();
const rate = 44_100;
const random = seeded(11);
const noise = [0, 1].map(() => make(3 * rate, () => quantised((random() - 0.5) * 0.9, 's16')));
/** Overlapping, in any order: as 0.5 to 1.5 s and 2.2 to 2.204 s. */
const ranges = [
  [2.2, 2.204],
  [1, 1.5],
  [0.5, 1.25],
];
const muted = [
  [0.5, 1.5],
  [2.2, 2.204],
];

const onFrames = (seconds: number): number => Math.round(seconds * rate) / rate;

describe('cut_audio with mode mute', () => {
  it.each(['s16', 's24', 'f32', 'flac'] as const)(
    'is silent there and the same to the bit elsewhere: %s',
    async (kind) => {
      const source = path(`noise-${kind}.${kind === 'flac' ? 'flac' : 'wav'}`);
      if (kind === 'flac') writeAll(source, noise, rate, { format: 'flac' });
      else writeWav(source, noise, rate, kind);
      const { path: out, result } = await runTool(cutAudio, source, { ranges, mode: 'mute' }, path('mute-'));
      expect(result).toEqual({
        keptRanges: [[0, 3]],
        keptSeconds: 3,
        removedSeconds: 0,
        mutedRanges: muted.map((range) => range.map(onFrames)),
      });
      expect(cutAudio.inWords(result as never)).toMatch(/^\d stretches muted, [\d.]+ s; nothing moved$/);
      const labels = runTimeline({ tool: 'cut_audio', outputs: [], warnings: [], result }, [source], 'audacity').text;
      expect(labels.match(/^\S+\t\S+\tmuted$/gm)).toEqual(
        muted.map(([from = 0, to = 0]) => `${onFrames(from).toFixed(6)}\t${onFrames(to).toFixed(6)}\tmuted`),
      );
      const fade = Math.round(softFadeSeconds * rate);
      const before = readAll(source).planes;
      for (const [channel, plane] of readAll(out).planes.entries()) {
        const was = before[channel] as Float32Array;
        expect(plane.length).toBe(was.length);
        const isMuted = (frame: number): boolean =>
          muted.some(([from = 0, to = 0]) => frame >= Math.round(from * rate) && frame < Math.round(to * rate));
        let changed = 0;
        for (let frame = 0; frame < was.length; frame += 1)
          if (!isMuted(frame) && plane[frame] !== was[frame]) changed += 1;
        expect(changed).toBe(0);
        expect(maxAbs(plane.subarray(0.5 * rate + fade, 1.5 * rate - fade))).toBe(0);
        // No step louder than the noise's own: each frame of a fade is at most as loud as it was.
        for (let frame = 0.5 * rate; frame < 0.5 * rate + fade; frame += 1)
          expect(Math.abs(plane[frame] ?? 1)).toBeLessThanOrEqual(Math.abs(was[frame] ?? 0));
      }
    },
  );

  it.skipIf(!hasFfmpeg)('copies the pictures of a film, packet by packet', async (context) => {
    needFfmpeg(context);
    const source = makeVideo(path('film.mp4'), [make(3 * 48_000, (frame) => 0.3 * Math.sin(frame / 10))], 48_000);
    const { path: out, warnings } = await runTool(cutAudio, source, { ranges: [[1, 2]], mode: 'mute' }, path('film-'));
    expect(packetHashes(out, 'v')).toEqual(packetHashes(source, 'v'));
    expect(warnings).toEqual([]);
    const plane = readAll(out).planes[0] as Float32Array;
    expect(maxAbs(plane.subarray(1.1 * 48_000, 1.9 * 48_000))).toBeLessThan(1e-3);
    expect(maxAbs(plane.subarray(0.2 * 48_000, 0.8 * 48_000))).toBeGreaterThan(0.05);
  });

  it('cannot be written in pieces', async () => {
    const source = writeWav(path('pieces.wav'), noise, rate);
    await expect(
      runTool(cutAudio, source, { ranges, mode: 'mute', output: 'separate' }, path('pieces-')),
    ).rejects.toThrow(/output joined with mode mute/);
  });
});
