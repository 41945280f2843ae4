// A first sound track that no decoder reads, as Apple's spatial sound, and a second one that is usual.
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { chooseSound, forgetSoundChoices } from '../../../src/library/media/ffmpeg/sound-choice.ts';
import { probeReport } from '../../../src/cli/terminal/report.ts';
import { mediaRecord } from '../../../src/library/runtime/job/media-record.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { ffmpeg, needFfmpeg, readAll, scratch, thrownBy } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { tone, toneLevelDb } from '../../fixtures/media/signals.ts';

const at = scratch();
const rate = 48_000;

function twoTracks(name: string, spoiled: number): string {
  const one = writeWav(at('one.wav'), [tone(rate, rate, 500)], rate);
  const two = writeWav(at('two.wav'), [tone(rate, rate, 1000)], rate);
  ffmpeg('-i', one, '-i', two, '-map', '0', '-map', '1', '-c:a', 'pcm_s16le', at(name));
  const bytes = readFileSync(at(name));
  for (let n = 0, from = 0; n < spoiled; n += 1) {
    from = bytes.indexOf('sowt', bytes.indexOf('stsd', from));
    bytes.write('apac', from, 'latin1');
  }
  writeFileSync(at(name), bytes);
  return at(name);
}

afterEach(forgetSoundChoices);

it('the track that can be decoded is read, and that is said', (context) => {
  needFfmpeg(context);
  const path = twoTracks('apac.mov', 1);
  const { planes, warnings } = readAll(path);
  expect(toneLevelDb(planes[0] as Float32Array, rate, 1000)).toBeGreaterThan(-10);
  expect(warnings).toEqual([
    {
      code: 'sound_track_skipped',
      message: 'Sound track 1 (apple_apac) cannot be decoded; track 2 (pcm_s16le) was read',
    },
  ]);
  const { audio, streams } = probe(path);
  expect(audio).toMatchObject({ codec: 'pcm_s16le', track: 2, decodable: true });
  expect(streams.map(({ type, track, decodable }) => [type, track, decodable])).toEqual([
    ['audio', 1, false],
    ['audio', 2, true],
  ]);
  const { tracks } = mediaRecord(probe(path), true);
  expect(tracks?.map(({ codec, track, decodable }) => [codec, track, decodable])).toEqual([
    ['apple_apac', 1, false],
    ['pcm_s16le', 2, true],
  ]);
  expect(probeReport('two', probe(path))).toMatch(/Tracks +sound 1 \(apple_apac\): cannot be decoded\n +sound 2/u);
});

it('a track that was asked for is not replaced by another', async (context) => {
  needFfmpeg(context);
  const path = twoTracks('asked.mov', 1);
  chooseSound(path, { track: 1, keepOthers: false });
  expect((await thrownBy(() => readAll(path))).message).toMatch(/^Sound track 1 .*cannot be decoded$/);
});

it('where none can be decoded, the error says so', async (context) => {
  needFfmpeg(context);
  expect((await thrownBy(() => readAll(twoTracks('none.mov', 2)))).code).toBe('unsupported_format');
});
