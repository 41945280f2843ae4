// @module-tag slower
// Clicks and plosives that were put into voices are taken out, and voices without them stay as they are.
import { describe, expect, it } from 'vitest';
import { ClickCandidates } from '../../../src/library/dsp/repair/click-candidates.ts';
import { sdr } from '../../../bench/quality/repair-cases.ts';
import { type BurstReading, meterBursts } from '../../../src/library/dsp/repair/bursts.ts';
import { removeClicks } from '../../../src/library/dsp/repair/remove-clicks.ts';
import { removePlosives } from '../../../src/library/dsp/repair/remove-plosives.ts';
import { resampleTo } from '../../../src/library/media/convert/format-converter.ts';
import { compose } from '../../../src/library/pcm/compose.ts';
import { readAll } from '../../fixtures/media/media.ts';
import { seeded } from '../../fixtures/random.ts';
import { recording, type RecordingName } from '../../fixtures/recordings.ts';
import {
  segmentalSnrDb,
  type Spoilt,
  type Spot,
  withClicks,
  withPlosives,
  withRumble,
} from '../../fixtures/sounds/clicks-and-plosives.ts';
import { pieces } from '../../fixtures/sounds/music.ts';
import { creak } from '../../fixtures/sounds/revoice.ts';
import { through } from '../../fixtures/media/through.ts';

const rate = 48_000;

function find(plane: Float32Array, sampleRate = rate, block?: number): BurstReading {
  const meter = meterBursts();
  through([meter], plane, sampleRate, block);
  return meter.result();
}

const mended = (plane: Float32Array, { clicks, plosives }: BurstReading, block?: number): Float32Array =>
  through([removePlosives(plosives), removeClicks(clicks)], plane, rate, block);

const at48 = (name: RecordingName): Float32Array => {
  const { planes, format } = readAll(recording(name));
  const plane = planes[0] as Float32Array;
  const most = plane.reduce((top, x) => Math.max(top, Math.abs(x)), 0);
  const quiet = plane.map((x) => (0.15 * x) / most);
  return format.sampleRate === rate ? quiet : through([resampleTo(rate)], quiet, format.sampleRate);
};
const voices = ['clean_speech_48k.wav', 'sonnet001.mp3', 'jfk.wav', 'acoustic_corpus.wav', 'austen-0870.wav'] as const;
const planes = new Map(voices.map((name) => [name, at48(name).slice(0, 12 * rate)]));
const voice = planes.get('jfk.wav') as Float32Array;

/** Spots that were found. */
const hits = ({ spots }: Spoilt, channel: BurstReading['clicks'][number]): Spot[] =>
  spots.filter(({ from, to }) =>
    channel.some(({ startSeconds, endSeconds }) => startSeconds * rate < to && endSeconds * rate > from),
  );

describe('clicks', () => {
  it('that are found are taken out by 6 dB and more in the mean, in each voice', () => {
    for (const [name, plane] of planes) {
      for (const levels of [[-30, -12] as const, [-12, -6] as const]) {
        const spoilt = withClicks(plane, rate, seeded(5), levels);
        const found = find(spoilt.samples);
        const spots = hits(spoilt, found.clicks[0] ?? []);
        if (spots.length < 3) continue;
        const out = mended(spoilt.samples, found);
        const gain = segmentalSnrDb(out, plane, rate, spots) - segmentalSnrDb(spoilt.samples, plane, rate, spots);
        expect(gain, `${name} ${levels.join()}`).toBeGreaterThan(6);
      }
    }
  });

  it('are found in pauses and vowels: a quarter of the loud ones; the voice hides others', () => {
    const [found, made] = [...planes.values()].reduce<[number, number]>(
      ([some, all], plane) => {
        const spoilt = withClicks(plane, rate, seeded(5), [-12, -6]);
        return [some + hits(spoilt, find(spoilt.samples).clicks[0] ?? []).length, all + spoilt.spots.length];
      },
      [0, 0],
    );
    expect(made).toBeGreaterThan(80);
    expect(found / made).toBeGreaterThan(0.25);
  });

  it('are not found in consonants, creaking voices and music', () => {
    for (const [name, plane] of planes) {
      const seconds = plane.length / rate;
      // A recording may have a click of its own.
      expect((find(plane).clicks[0] ?? []).length, name).toBeLessThanOrEqual(seconds / 3);
      expect(sdr(mended(plane, find(plane)), plane), name).toBeGreaterThan(50);
    }
    expect(find(creak(voice)).clicks[0]).toEqual([]);
    for (const name of ['rock', 'drums', 'bass', 'pop', 'strummed guitar'])
      expect(find((pieces[name] as (seconds: number) => Float32Array)(4)).clicks[0], name).toEqual([]);
  });
});

describe('plosives', () => {
  it('are all found where they are louder than the voice, and taken out by 5 dB and more', () => {
    for (const [name, plane] of planes) {
      const spoilt = withPlosives(plane, rate, seeded(6));
      const found = find(spoilt.samples);
      expect(hits(spoilt, found.plosives[0] ?? []), name).toHaveLength(spoilt.spots.length);
      const out = mended(spoilt.samples, found);
      const gain = (spots: readonly Spot[]): number =>
        segmentalSnrDb(out, plane, rate, spots) - segmentalSnrDb(spoilt.samples, plane, rate, spots);
      expect(gain(spoilt.spots), name).toBeGreaterThan(5);
    }
  });

  it('are left where they cannot be told from a deep voice: none comes out worse by more than 1 dB', () => {
    let [gain, count] = [0, 0];
    for (const [name, plane] of planes)
      for (const [seed, ...levels] of [
        [6, -6, 0],
        [2, -6, 0],
        [6, 6, 12],
        [3, 6, 12],
      ] as const) {
        const spoilt = withPlosives(plane, rate, seeded(seed), levels);
        const out = mended(spoilt.samples, { ...find(spoilt.samples), clicks: [[]] });
        for (const spot of spoilt.spots) {
          const [before, after] = [spoilt.samples, out].map((one) => segmentalSnrDb(one, plane, rate, [spot]));
          expect(after! - before!, `${name} at ${spot.from / rate} s, ${levels.join()} dB`).toBeGreaterThan(-1);
          gain += after! - before!;
          count += 1;
        }
      }
    expect(gain / count).toBeGreaterThan(9.5);
  });

  it('are not found in voices, music and tones', () => {
    for (const [name, plane] of planes) expect(find(plane).plosives[0], name).toEqual([]);
    for (const name of ['rock', 'drums', 'slow drums', 'bass', 'pop'])
      expect(find((pieces[name] as (seconds: number) => Float32Array)(6)).plosives[0], name).toEqual([]);
    const tone = Float32Array.from({ length: 3 * rate }, (_, i) => 0.5 * Math.sin((2 * Math.PI * 50 * i) / rate));
    expect(find(tone).plosives[0]).toEqual([]);
  });

  it('are not found in rumble, which does not rise from itself', () => {
    for (const [name, plane] of planes)
      expect(find(withRumble(plane.slice(0, 10 * rate), rate, seeded(7))).plosives[0], name).toEqual([]);
  });
});

describe('both', () => {
  const spoilt = withPlosives(withClicks(voice, rate, seeded(1)).samples, rate, seeded(2)).samples;

  it('are where they were put, at any rate, to the end of a long recording', () => {
    for (const sampleRate of [8000, 16_000, 44_100, 48_000]) {
      const quiet = Float32Array.from({ length: 40 * sampleRate }, (_, i) => {
        const second = i / sampleRate;
        return second > 37
          ? 1e-4 * Math.sin(i)
          : 0.1 * Math.sin(2 * Math.PI * 400 * second) * Math.sin(9 * second) ** 2;
      });
      const [clickAt, plosiveAt] = [38, 39];
      quiet[clickAt * sampleRate] = 0.1;
      for (let i = 0; i < 0.02 * sampleRate; i += 1)
        quiet[plosiveAt * sampleRate + i]! += 0.5 * Math.sin((Math.PI * i) / (0.02 * sampleRate));
      const { clicks, plosives } = find(quiet, sampleRate);
      const near = (place: number) => ({
        startSeconds: expect.closeTo(place, 1),
        endSeconds: expect.closeTo(place, 1),
      });
      expect(clicks[0], `${sampleRate} Hz`).toEqual([near(clickAt)]);
      expect(plosives[0], `${sampleRate} Hz`).toEqual([near(plosiveAt + 0.01)]);
      const [click] = clicks[0]!;
      expect(click!.startSeconds).toBeLessThanOrEqual(clickAt);
      expect(click!.endSeconds).toBeGreaterThan(clickAt);
    }
  });

  it('give the same however the stream is cut; all other samples stay as they are', () => {
    const reading = find(spoilt);
    expect(reading.clicks[0]?.length).toBeGreaterThan(0);
    expect(reading.plosives[0]?.length).toBeGreaterThan(0);
    const out = mended(spoilt, reading);
    expect(out.length).toBe(spoilt.length);
    for (const block of [480, 4801, spoilt.length]) {
      expect(find(spoilt, rate, block)).toEqual(reading);
      expect(mended(spoilt, reading, block)).toEqual(out);
    }
    const spots = [...(reading.clicks[0] ?? []), ...(reading.plosives[0] ?? [])];
    const isIn = (frame: number): boolean =>
      spots.some(({ startSeconds, endSeconds }) => frame >= startSeconds * rate - 1 && frame <= endSeconds * rate + 1);
    expect(out.every((x, i) => x === spoilt[i] || isIn(i))).toBe(true);
  });

  it('are taken out of each channel by itself, at both ends of a recording, and broken samples do no harm', () => {
    const other = voice.toReversed();
    const stages = [removeClicks([[{ startSeconds: 1, endSeconds: 1.002 }], []]), removePlosives([[], []])];
    const pipeline = compose(stages, { sampleRate: rate, channels: 2, layout: 'stereo' });
    const out: Float32Array[] = [];
    const keep = ({ planes: [, right], frames }: { planes: readonly Float32Array[]; frames: number }): void =>
      void out.push((right as Float32Array).slice(0, frames));
    pipeline.process({ planes: [voice, other], frames: voice.length }, keep);
    pipeline.flush(keep);
    expect(Float32Array.from(out.flatMap((part) => [...part]))).toEqual(other);

    const ends = [
      { startSeconds: 0, endSeconds: 0.003 },
      { startSeconds: voice.length / rate - 0.002, endSeconds: voice.length / rate + 0.05 },
    ];
    const edges = through([removePlosives([ends]), removeClicks([ends])], voice);
    expect(edges).toHaveLength(voice.length);
    expect(edges.every((x) => Number.isFinite(x))).toBe(true);

    const broken = voice.slice();
    [Number.NaN, Number.POSITIVE_INFINITY, 1e30].forEach((x, i) => void (broken[rate + 20 * i] = x));
    const spot = [{ startSeconds: 1.0002, endSeconds: 1.0003 }];
    const mid = through([removePlosives([spot]), removeClicks([spot])], broken);
    expect(mid.slice(rate + 10, rate + 14).every((x) => Math.abs(x) < 1)).toBe(true);
    for (const plane of [new Float32Array(0), new Float32Array(1), new Float32Array(rate), broken])
      expect(find(plane).plosives).toHaveLength(1);
  });
});

it('what may be clicks is kept exactly, also ten hours into a recording', () => {
  const candidates = new ClickCandidates();
  const all = [5, 2 ** 20, 2 ** 24 + 1, 144_000_001].map((peakHop, index) => ({
    peakHop,
    fromHop: peakHop - 3,
    toHop: peakHop + 4,
    peakDb: -10.5 - index,
    excessDb: 12.25,
    pauseDb: -40,
    vowelDb: -30.5,
  }));
  for (const one of all) candidates.push(one);
  expect(all.map((_, index) => candidates.at(index))).toEqual(all);
  expect([candidates.at(-1), candidates.at(all.length)]).toEqual([undefined, undefined]);
});
