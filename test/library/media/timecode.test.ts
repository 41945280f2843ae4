// Timecodes of cut videos, against SMPTE 12M's rule and Debian's ffprobe.
import { beforeEach, expect, it } from 'vitest';
import { laterTimecode } from '../../../src/library/media/timecode.ts';
import { cutAudio } from '../../../src/library/tools/cut_audio/tool.ts';
import { ffmpeg, ffprobe, needFfmpeg, scratch } from '../../fixtures/media/media.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
beforeEach(needFfmpeg);
const ntsc = { num: 30_000, den: 1001 };
const pal = { num: 25, den: 1 };

it.each([
  ['00:00:59;29', 1, ntsc, '00:01:00;02'],
  ['00:09:59;29', 1, ntsc, '00:10:00;00'],
  ['00:10:00;00', 1800, ntsc, '00:11:00;02'],
  ['00:00:00;00', 17_982, ntsc, '00:10:00;00'],
  ['23:59:59;29', 1, ntsc, '00:00:00;00'],
  ['00:00:59:29', 1, ntsc, '00:01:00:00'],
  ['00:00:59;59', 1, { num: 60_000, den: 1001 }, '00:01:00;04'],
  ['10:00:00:24', 26, pal, '10:00:02:00'],
  ['23:59:59:24', 1, pal, '00:00:00:00'],
  ['ten o’clock', 1, pal, null],
])('%s and %i frames more', (code, frames, rate, later) => {
  expect(laterTimecode(code, frames, rate)).toBe(later);
});

it.each(['mov', 'mp4', 'mkv'])('a cut moves the timecode of %s', slow, async (format) => {
  const source = at(`source.${format}`);
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=30000/1001:d=4', '-f', 'lavfi', '-i', 'sine=d=4'];
  ffmpeg(...picture, '-c:v', 'mpeg4', '-timecode', '01:00:58;00', source);
  const { path } = await runTool(cutAudio, source, { ranges: [[0, 60 * (1001 / 30_000)]] }, at('cut-'));
  const { streams, format: file } = ffprobe(path);
  const codes = [file, ...streams].flatMap(({ tags = {} }) =>
    Object.entries(tags).flatMap(([name, value]) => (name.toLowerCase() === 'timecode' ? [value] : [])),
  );
  expect(codes.length).toBeGreaterThan(0);
  expect(new Set(codes)).toEqual(new Set(['01:01:00;02']));
});
