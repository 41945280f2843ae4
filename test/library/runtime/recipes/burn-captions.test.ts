import { existsSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { burnCaptions } from '../../../../src/index.ts';
import type { Transcript } from '../../../../src/library/contract/transcript.ts';
import { toTranscriptJson } from '../../../../src/library/speech/transcript/write/json.ts';
import { decodeByFfmpeg, ffmpeg, ffprobe, needFfmpeg, scratch, thrownBy } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { tone } from '../../../fixtures/media/signals.ts';
import { makeVideo } from '../../../fixtures/media/videos.ts';
import { slow } from '../../../fixtures/rounds.ts';

const path = scratch();
const rate = 8000;
const [width, height] = [320, 180];

/** Something is said from 1 to 2 s. */
const transcript: Transcript = {
  format: 'earshot-transcript',
  version: 1,
  language: 'en',
  durationSeconds: 3,
  speakerCount: null,
  sentences: [
    {
      startSeconds: 1,
      endSeconds: 2,
      text: 'Hello there',
      speaker: null,
      words: [
        { text: 'Hello', startSeconds: 1, endSeconds: 1.4 },
        { text: 'there', startSeconds: 1.4, endSeconds: 2 },
      ],
    },
  ],
};
const json = toTranscriptJson(transcript);

/** A black picture: all that is bright in it was drawn. */
const film = (name: string, ...output: string[]): string =>
  makeVideo(path(name), [tone(3 * rate, rate, 440)], rate, {
    input: [],
    output: ['-vf', `drawbox=color=black:t=fill,scale=${width}:${height}`, ...output],
  });

/** Rows with bright pixels at a time, as players show the picture, in shares of its height. */
function brightRows(file: string, seconds: number): number[] {
  const [wide, high] = file.includes('turned') ? [height, width] : [width, height];
  const pixels = ffmpeg(
    '-ss',
    String(seconds),
    '-i',
    file,
    '-frames:v',
    '1',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'gray',
    '-',
  );
  expect(pixels.length).toBe(wide * high);
  return Array.from({ length: high }, (_, row) => row).flatMap((row) =>
    pixels.subarray(row * wide, (row + 1) * wide).some((value) => value > 150) ? [row / high] : [],
  );
}

it(
  'draws captions while they are said, upright as players show the picture, and keeps sound and length',
  slow,
  async (context) => {
    needFfmpeg(context);
    const straight = film('film.mp4');
    const turned = path('turned.mp4');
    ffmpeg('-i', straight, '-c', 'copy', '-metadata:s:v:0', 'rotate=90', turned);
    for (const input of [straight, turned]) {
      const output = input.replace('.mp4', '.captions.mp4');
      await burnCaptions(input, output, json, { profile: 'shorts' });
      expect(brightRows(output, 0.5)).toEqual([]);
      expect(brightRows(output, 2.8)).toEqual([]);
      const rows = brightRows(output, 1.5);
      // A line of text, in the lower half.
      expect(rows.length).toBeGreaterThan(4);
      expect(Math.min(...rows)).toBeGreaterThan(0.5);
      expect(Math.max(...rows)).toBeLessThan(0.85);
      const [before, after] = [input, output].map((file) => decodeByFfmpeg(file).planes[0]?.length ?? 0);
      expect(Math.abs((after ?? 0) - (before ?? 0)) / rate).toBeLessThan(0.3);
      expect(ffprobe(output).streams.filter(({ codec_type: type }) => type === 'video').length).toBe(1);
    }
  },
);

it('refuses what has no picture, another ending, a file that is there', async (context) => {
  needFfmpeg(context);
  const sound = writeWav(path('sound.wav'), [tone(rate, rate, 440)], rate);
  expect(await thrownBy(() => burnCaptions(sound, path('out.wav'), json))).toMatchObject({ code: 'wrong_file_type' });
  const video = film('short.mp4', '-t', '0.5');
  expect(await thrownBy(() => burnCaptions(video, path('out.mkv'), json))).toMatchObject({ code: 'bad_request' });
  writeFileSync(path('there.mp4'), '');
  expect(await thrownBy(() => burnCaptions(video, path('there.mp4'), json))).toMatchObject({ code: 'conflict' });
  expect(await thrownBy(() => burnCaptions(video, path('out.mp4'), '{}'))).toMatchObject({ code: 'wrong_file_type' });
  expect(existsSync(path('out.mp4'))).toBe(false);
});
