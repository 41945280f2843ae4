// Chapters of podcasts in MP4: a text track with links, and a video track with a picture for each.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { extrasOf } from '../../../../src/library/media/chapter-extras.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { openLabels } from '../../../../src/library/media/write/labels.ts';
import { adjustLoudness } from '../../../../src/library/tools/adjust_loudness/tool.ts';
import { ffmpeg, needFfmpeg, scratch } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { runTool } from '../../../fixtures/media/run-context.ts';
import { tone } from '../../../fixtures/media/signals.ts';
import { slow } from '../../../fixtures/rounds.ts';

const at = scratch();
const url = 'https://example.org/notes#';
const room = 'x'.repeat(14 + url.length + 1);

/**
 * FFmpeg writes the tracks; the links take the place of a part of the titles, and the reference gets a second track.
 */
function podcast(): string {
  const chapters = ['One', 'Two'].map(
    (title, n) => `[CHAPTER]\nTIMEBASE=1/1\nSTART=${2 * n}\nEND=${2 * n + 2}\ntitle=${title}${room}\n`,
  );
  writeFileSync(at('chapters.txt'), `;FFMETADATA1\n${chapters.join('')}`);
  const wav = writeWav(at('sound.wav'), [tone(4 * 16_000, 16_000, 440)], 16_000);
  const pictures = ['-f', 'lavfi', '-i', 'testsrc2=s=32x32:r=1/2:d=4', '-f', 'ffmetadata', '-i', at('chapters.txt')];
  ffmpeg('-i', wav, ...pictures, '-map', '0', '-map', '1', '-map_chapters', '2', '-c:v', 'mjpeg', at('plain.mp4'));
  const bytes = readFileSync(at('plain.mp4'));
  for (const [n, name] of ['One', 'Two'].entries()) {
    const title = bytes.indexOf(`${name}${room}`);
    bytes.writeUInt16BE(3, title - 2);
    bytes.writeUInt32BE(room.length, title + 3);
    bytes.write(`href\0\0\0\x03${String.fromCharCode(url.length + 1)}${url}${n + 1}\0`, title + 7, 'latin1');
  }
  const [moov, chap] = [bytes.lastIndexOf('moov'), bytes.indexOf('chap')];
  const parents = [moov, bytes.lastIndexOf('trak', chap), bytes.lastIndexOf('tref', chap), chap];
  for (const parent of parents) bytes.writeUInt32BE(bytes.readUInt32BE(parent - 4) + 4, parent - 4);
  const pictureTrack = Buffer.from([0, 0, 0, 2]);
  writeFileSync(
    at('podcast.mp4'),
    Buffer.concat([bytes.subarray(0, chap + 8), pictureTrack, bytes.subarray(chap + 8)]),
  );
  return at('podcast.mp4');
}

it('links and pictures of chapters go into an MP3, and are named where MP4 is written', slow, async (context) => {
  needFfmpeg(context);
  const path = podcast();
  expect(probe(path).chapters.map((chapter) => [chapter.title, extrasOf(chapter)?.link])).toEqual([
    ['One', `${url}1`],
    ['Two', `${url}2`],
  ]);
  const mp3 = await runTool(adjustLoudness, path, { output_format: 'mp3' }, at('mp3-'));
  const extras = probe(mp3.path).chapters.map(extrasOf);
  expect(extras.map((one) => [one?.link, one?.hasPicture])).toEqual([
    [`${url}1`, true],
    [`${url}2`, true],
  ]);
  const m4a = await runTool(adjustLoudness, path, { output_format: 'm4a' }, at('m4a-'));
  const said = m4a.warnings.map(({ message }) => message).join(' ');
  expect(said).toContain('pictures of chapters, links of chapters');
});

it('an Ogg file leaves out pictures that its comments have no room for, and keeps others', () => {
  const picture = (bytes: number) => ({ type: 3, mimeType: 'image/png', description: '', data: Buffer.alloc(bytes) });
  const room = (...pictures: ReturnType<typeof picture>[]): number =>
    JSON.stringify(openLabels('ogg', { tags: { entries: [], pictures }, chapters: [] }).metadata).length;
  expect(room(picture(50 * 2 ** 20), picture(999))).toBe(room(picture(999)));
  expect(room(picture(2 ** 20))).toBeGreaterThan(2 ** 20);
});
