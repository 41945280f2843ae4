// One gain for several files, against ffmpeg's reading of all of them in one file.
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createEngine, measureAlbum } from '../../../../src/index.ts';
import { loudnessByFfmpeg, needFfmpeg, readAll } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { tone, voice } from '../../../fixtures/media/signals.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';

const folder = temporaryFolder('earshot-album-');
const at = (name: string): string => join(folder, name);
const engine = createEngine({ tempDir: folder });
afterAll(() => engine.close());

const rate = 16_000;
const gain = (plane: Float32Array, db: number): Float32Array => plane.map((x) => x * 10 ** (db / 20));
const row = (...planes: readonly Float32Array[]): Float32Array =>
  Float32Array.from(planes.flatMap((plane) => [...plane]));

it('measures all files as one programme, mono and stereo', async (context) => {
  needFfmpeg(context);
  const [loud, soft] = [voice(8 * rate, rate, 1, 0.2), gain(voice(9 * rate, rate, 2, 0.2), -9)];
  const [left, right] = [voice(7 * rate, rate, 3, 0.1), voice(7 * rate, rate, 4, 0.15)];
  const paths = [writeWav(at('a.wav'), [loud], rate), writeWav(at('b.wav'), [soft], rate)];
  const stereo = writeWav(at('c.wav'), [left, right], rate);
  const none = new Float32Array(loud.length + soft.length);
  const whole = writeWav(at('whole.wav'), [row(loud, soft, left), row(none, right)], rate);
  const truth = loudnessByFfmpeg(whole);
  const album = await measureAlbum([...paths, stereo], { target: 'streaming' });
  expect(album.integratedLufs).toBeCloseTo(truth.lufs, 0);
  expect(Math.abs((album.integratedLufs ?? 0) - truth.lufs)).toBeLessThan(0.06);
  expect(album.seconds).toBeCloseTo(24, 3);
  expect(album.files.map(({ path }) => path)).toEqual([...paths, stereo]);
  expect(album.truePeakDbtp).toBe(Math.max(...album.files.map(({ truePeakDbtp }) => truePeakDbtp ?? -99)));
});

it('gives every file one gain, which the highest peak bounds', slow, async (context) => {
  needFfmpeg(context);
  const [loud, soft] = [voice(8 * rate, rate, 5, 0.1), gain(voice(8 * rate, rate, 6, 0.1), -6)];
  const paths = [writeWav(at('d.wav'), [loud], rate), writeWav(at('e.wav'), [soft], rate)];
  const album = await measureAlbum(paths, { target: 'custom', custom_lufs: -26 });
  expect(album.limitedByPeak).toBe(false);
  const made: Float32Array[] = [];
  for (const [index, path] of paths.entries()) {
    const output = at(`out-${index}.wav`);
    const { result } = await engine.run('adjust_loudness', path, { gain_db: album.gainDb }, { output });
    expect(result).toMatchObject({ gainDb: album.gainDb, limited: false, targetLufs: null });
    made.push(readAll(output).planes[0] as Float32Array);
  }
  expect(loudnessByFfmpeg(writeWav(at('made.wav'), [row(...made)], rate)).lufs).toBeCloseTo(-26, 0);
  const wanted = await measureAlbum(paths, { target: 'custom', custom_lufs: -5 });
  expect(wanted.limitedByPeak).toBe(true);
  expect(wanted.gainDb + (wanted.truePeakDbtp ?? 0)).toBeCloseTo(-1, 1);
});

it('leaves silence alone, and says what it cannot measure', async () => {
  const silence = writeWav(at('silence.wav'), [new Float32Array(rate)], rate);
  expect(await measureAlbum([silence])).toMatchObject({ integratedLufs: null, gainDb: 0, limitedByPeak: false });
  // A silent file takes no part.
  const path = writeWav(at('tone.wav'), [tone(20 * rate, rate, 440, -20)], rate);
  const [alone, both] = [await measureAlbum([path]), await measureAlbum([silence, path, silence])];
  expect(Math.abs(alone.gainDb - both.gainDb)).toBeLessThan(0.1);
  await expect(measureAlbum([])).rejects.toMatchObject({ code: 'bad_request' });
  await expect(measureAlbum([at('none.wav')])).rejects.toMatchObject({ code: 'not_found' });
});
