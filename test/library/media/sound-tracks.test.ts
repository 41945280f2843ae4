// Videos with several sound tracks: one of them is chosen, the others are kept as they are.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createUntypedEngine } from '../../../src/library/runtime/engine/engine.ts';
import { chooseSound, forgetSoundChoices } from '../../../src/library/media/ffmpeg/sound-choice.ts';
import { openAudio } from '../../../src/library/media/read/decode.ts';
import { openRemux } from '../../../src/library/media/write/remux.ts';
import { ffprobe, needFfmpeg, packetHashes, readAll, scratch, thrownBy } from '../../fixtures/media/media.ts';
import { make } from '../../fixtures/media/signals.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { probe } from '../../../src/library/media/read/probe.ts';

const at = scratch();
const rate = 48_000;
const tone = (hz: number, level: number): Float32Array =>
  make(2 * rate, (i) => level * Math.sin((2 * Math.PI * hz * i) / rate));
const films = new Map<string, string>();

/** English at 400 Hz (the file's own default), German at 2 kHz. */
function film(extension: string): string {
  const other = ['-f', 'lavfi', '-i', 'sine=frequency=2000:sample_rate=48000:duration=2'];
  const languages = ['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu'];
  const known =
    films.get(extension) ??
    makeVideo(at(`two.${extension}`), [tone(400, 0.3)], rate, {
      input: other,
      output: ['-map', '2:a', ...languages, '-disposition:a:0', 'default', '-disposition:a:1', '0'],
    });
  films.set(extension, known);
  return known;
}

/** Crossings of zero a second, halved. */
function pitch(path: string): number {
  const [plane = new Float32Array()] = readAll(path).planes;
  const middle = plane.subarray(rate / 2, rate * 1.5);
  return middle.reduce((count, x, i) => count + (x >= 0 !== (middle[i - 1] ?? x) >= 0 ? 1 : 0), 0) / 2;
}

beforeEach(needFfmpeg);
afterEach(forgetSoundChoices);

describe('several sound tracks', () => {
  it.each([
    [null, 400],
    [1, 400],
    [2, 2000],
    ['de', 2000],
    ['ger', 2000],
    ['eng', 400],
  ])('track %s is the one at %d Hz', (track, hz) => {
    const path = film('mkv');
    chooseSound(path, { track, keepOthers: false });
    expect(pitch(path)).toBeCloseTo(hz, -1);
  });

  it('says which there are where the one that is wanted is not', async () => {
    const path = film('mkv');
    for (const track of [3, 'fr']) {
      chooseSound(path, { track, keepOthers: false });
      expect(await thrownBy(() => openAudio(probe(path)))).toMatchObject({
        code: 'bad_request',
        message: expect.stringMatching(
          /^Expected sound track (3|fr) but the file has 2: 1 \(eng, \w+, 1 channel\), 2 \(/u,
        ),
      });
    }
  });

  it.each(['mp4', 'mov', 'mkv', 'ts'])('%s: the other one is copied behind the new one', (extension) => {
    const path = film(extension);
    chooseSound(path, { track: 2, keepOthers: true });
    const facts = probe(path);
    const source = openAudio(facts);
    const target = at(`kept.${extension}`);
    const sink = openRemux(target, facts, source.format);
    for (let block = source.next(); block; block = source.next()) {
      for (const plane of block.planes) for (let i = 0; i < block.frames; i += 1) plane[i]! *= 0.5;
      sink.write(block);
    }
    sink.finish();
    source.close();
    const sounds = ffprobe(target).streams.filter((one) => one.codec_type === 'audio');
    const languages = ffprobe(path)
      .streams.filter((one) => one.codec_type === 'audio')
      .toReversed();
    expect(sounds.map(({ tags }) => tags?.['language'])).toEqual(languages.map(({ tags }) => tags?.['language']));
    expect(sink.warnings).toEqual([]);
    expect(pitch(target)).toBeCloseTo(2000, -1);
    expect(packetHashes(target, 'a:1')).toEqual(packetHashes(path, 'a:0'));
  });

  it('a run of the library takes both wishes, and the next one none of them', async () => {
    await using engine = createUntypedEngine({ concurrency: 1 });
    const run = async (control: object): Promise<{ path: string; codes: string[] }> => {
      const outputDir = join(dirname(film('mkv')), `run-${readdirSync(dirname(film('mkv'))).length}`);
      const done = await engine.run('adjust_loudness', film('mkv'), {}, { outputDir, ...control });
      return { path: done.outputs[0]?.path ?? '', codes: done.warnings.map(({ code }) => code) };
    };
    const kept = await run({ soundTrack: 'de', keepSoundTracks: true });
    expect(kept.codes).not.toContain('other_sound_dropped');
    expect(pitch(kept.path)).toBeCloseTo(2000, -1);
    expect(packetHashes(kept.path, 'a:1')).toEqual(packetHashes(film('mkv'), 'a:0'));
    const usual = await run({});
    expect(usual.codes).toContain('other_sound_dropped');
    expect(pitch(usual.path)).toBeCloseTo(400, -1);
    await expect(run({ soundTrack: 4 })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(run({ soundTrack: 0 })).rejects.toMatchObject({ code: 'bad_request' });
  });
});
