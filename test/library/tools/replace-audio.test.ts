import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { replaceAudio } from '../../../src/library/tools/replace_audio/tool.ts';
import {
  decodeByFfmpeg,
  ffmpeg,
  needFfmpeg,
  packetHashes,
  readAll,
  scratch,
  thrownBy,
} from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { make, maxAbs, peakFrame, tone } from '../../fixtures/media/signals.ts';
import { makeAvi } from '../../fixtures/media/videos.ts';
import { slow } from '../../fixtures/rounds.ts';

const path = scratch();
const rate = 48_000;
/** A click at 1 s of three seconds. */
const click = make(3 * rate, (frame) => (Math.abs(frame - rate) < 24 ? 0.8 : 0));
const silent = [new Float32Array(4 * rate)];
/** Four seconds of picture without sound. */
function mute(name: string): string {
  ffmpeg(
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=64x48:rate=25:duration=4',
    '-pix_fmt',
    'yuv420p',
    '-c:v',
    'libx264',
    path(name),
  );
  return path(name);
}
const swap = (video: string, audio: string, offset: number, prefix: string): ReturnType<typeof runTool> =>
  runTool(replaceAudio, { video_file_id: [video], audio_file_id: [audio] }, { offset_seconds: offset }, path(prefix));

describe('replace_audio', () => {
  it.each([
    ['no offset', 0, 1],
    ['later', 1.5, 2.5],
    ['earlier', -0.75, 0.25],
  ])('%s: the sound lies where it should, the picture is untouched', async (name, offset, at) => {
    const video = await makeAvi(path(`${name}.avi`), silent, rate);
    const { path: out, result } = await swap(video, writeWav(path(`${name}.wav`), [click], rate), offset, 'swap-');
    const sound = readAll(out).planes[0] as Float32Array;
    expect(Math.abs(peakFrame(sound) / rate - at)).toBeLessThan(0.03);
    expect(Math.abs(sound.length / rate - 4)).toBeLessThan(0.06);
    expect(result['pictureSeconds']).toBeCloseTo(4, 1);
  });

  it.for([
    ['ts', ['-c:v', 'libx264', '-c:a', 'aac']],
    ['flv', ['-c:v', 'flv', '-c:a', 'aac']],
    ['mkv', ['-c:v', 'libx264', '-c:a', 'aac']],
    ['wmv', ['-c:v', 'wmv2', '-c:a', 'wmav2']],
    ['avi', ['-c:v', 'mpeg4', '-bf', '2', '-c:a', 'libmp3lame']],
  ] as const)(
    '%s: the new sound starts with the picture, wherever the old one did',
    slow,
    async ([kind, codecs], context) => {
      needFfmpeg(context);
      const old = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=25:duration=3', '-f', 'lavfi', '-i', 'sine=d=3'];
      ffmpeg(...old, ...codecs, path(`old.${kind}`));
      const { path: out } = await swap(
        path(`old.${kind}`),
        writeWav(path(`new-${kind}.wav`), [click], rate),
        0,
        'start-',
      );
      const first = (stream: string, field: string): number =>
        Number.parseFloat(
          execFileSync(
            'ffprobe',
            [
              '-v',
              'error',
              '-select_streams',
              stream,
              '-show_entries',
              field,
              '-read_intervals',
              '%+#8',
              '-of',
              'csv=p=0',
              out,
            ],
            { encoding: 'utf8' },
          ),
        );
      // On the clock of the decoded frames: where the first picture is shown, and the click in the sound.
      const picture = first('v', 'frame=best_effort_timestamp_time');
      const sound = first('a', 'frame=pts_time');
      expect(
        Math.abs(peakFrame(decodeByFfmpeg(out).planes[0] as Float32Array) / rate + sound - picture - 1),
      ).toBeLessThan(0.005);
    },
  );

  it('copies the picture packet for packet and accepts a video without sound', slow, async (context) => {
    needFfmpeg(context);
    const video = mute('mute.mp4');
    const { path: out } = await swap(
      video,
      writeWav(path('tone.wav'), [tone(10 * rate, rate, 440), tone(10 * rate, rate, 550)], rate),
      0,
      'mute-',
    );
    expect(packetHashes(out, 'v')).toEqual(packetHashes(video, 'v'));
    const read = readAll(out);
    expect(read.planes.length).toBe(2);
    expect(maxAbs(read.planes[0] as Float32Array)).toBeGreaterThan(0.3);
  });

  it('warns when nothing of the sound falls within the picture', async () => {
    const video = await makeAvi(path('far.avi'), silent, rate);
    const { warnings, path: out } = await swap(video, writeWav(path('far.wav'), [click], rate), 100, 'far-');
    expect(warnings.map((warning) => warning.code)).toContain('no_overlap');
    expect(maxAbs(readAll(out).planes[0] as Float32Array)).toBeLessThan(0.01);
  });

  it('refuses a file without a picture as the video, and one without sound as the sound', async (context) => {
    const sound = writeWav(path('only.wav'), [click], rate);
    expect((await thrownBy(() => swap(sound, sound, 0, 'none-'))).code).toBe('wrong_file_type');
    needFfmpeg(context);
    const video = mute('mute2.mp4');
    expect((await thrownBy(() => swap(video, video, 0, 'none-'))).code).toBe('no_audio');
  });
});
