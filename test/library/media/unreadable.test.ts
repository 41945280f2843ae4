// Files that cannot be read are called what they are, with what to do; SPHERE is read.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ffmpeg, needFfmpeg, readAll, scratch, thrownBy, writeAll } from '../../fixtures/media/media.ts';
import { voice } from '../../fixtures/media/signals.ts';

const at = scratch();
const rate = 16_000;
const sound = voice(2 * rate, rate, 2);
const mp4 = (): string => writeAll(at('whole.m4a'), [sound], rate, { format: 'm4a' }).path;
const says = async (path: string): Promise<string> =>
  ((await thrownBy(() => readAll(path))) as { message: string }).message;

/** Where a box of the file begins. */
function boxAt(bytes: Buffer, type: string): number {
  let start = 0;
  while (bytes.toString('latin1', start + 4, start + 8) !== type) start += bytes.readUInt32BE(start);
  return start;
}

it('a file that is shorter than a box is no MP4', async () => {
  const path = at('hello.txt');
  writeFileSync(path, 'hallo');
  expect(await says(path)).toMatch(/^Expected an audio or video file but /);
});

it('an MP4 without its index was never finished, or is cut off', async () => {
  const path = at('last.mp4');
  ffmpeg('-i', mp4(), '-c', 'copy', path);
  const bytes = readFileSync(path);
  const index = boxAt(bytes, 'moov');
  const damaged = at('damaged.mp4');
  for (const [length, message] of [
    [index, /^The recording was never finished: its index/],
    [index - 1000, /^The file is cut off before its index/],
    [index + 200, /^The file is cut off within its index/],
  ] as const) {
    writeFileSync(damaged, bytes.subarray(0, length));
    expect(await says(damaged)).toMatch(message);
  }
});

it('an encrypted MP4 is said to be encrypted', async (context) => {
  needFfmpeg(context);
  const path = at('encrypted.mp4');
  const key = ['-encryption_key', '76a6c65c5ea762046bd749a2e632ccbb', '-encryption_kid', '00'.repeat(16)];
  ffmpeg('-i', mp4(), '-c', 'copy', '-encryption_scheme', 'cenc-aes-ctr', ...key, path);
  expect(await says(path)).toMatch(/^The sound of this file is encrypted/);
});

it('SPHERE is read, in both byte orders', () => {
  for (const [coding, order, encode] of [
    ['pcm', '01', (data: Buffer, value: number, n: number) => data.writeInt16LE(value, 2 * n)],
    ['pcm', '10', (data: Buffer, value: number, n: number) => data.writeInt16BE(value, 2 * n)],
  ] as const) {
    const data = Buffer.alloc(2 * sound.length);
    for (const [n, sample] of sound.entries()) encode(data, Math.round(sample * 32_767), n);
    const head =
      `NIST_1A\n   1024\nsample_count -i ${sound.length}\nsample_n_bytes -i 2\nchannel_count -i 1\n` +
      `sample_byte_format -s2 ${order}\nsample_rate -i ${rate}\nsample_coding -s3 ${coding}\nend_head\n`;
    writeFileSync(at('speech.sph'), Buffer.concat([Buffer.from(head.padEnd(1024)), data]));
    const { planes, facts, warnings } = readAll(at('speech.sph'));
    expect(facts.format).toBe('sph');
    expect(warnings).toEqual([]);
    expect(planes[0]?.length).toBe(sound.length);
    expect(planes[0]?.every((sample, n) => Math.abs(sample - (sound[n] as number)) < 1e-4)).toBe(true);
  }
});
