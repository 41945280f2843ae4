// Recordings of made events whose offsets and drifts are known.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTimeline } from '../../../src/library/runtime/recipes/timeline-of-run.ts';
import { alignRecordings } from '../../../src/library/tools/align_recordings/tool.ts';
import type { AlignRecordingsResult } from '../../../src/library/tools/align_recordings/result.ts';
import { readAll } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { madeEvent, type Recorder, recordedEvent } from '../../fixtures/sounds/events.ts';
import { slow } from '../../fixtures/rounds.ts';
import { codesOf, type Ran, runWith } from '../dsp/tool-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-sync-'));
const seed = Number(process.env['SYNC_SEED'] ?? 11);
const shown = `seed ${seed}`;
const event = madeEvent(seed, 70);
let made = 0;

function file(planes: readonly Float32Array[], rate: number, kind: 's16' | 's24' = 's16'): string {
  made += 1;
  return writeWav(join(folder, `recording-${made}.wav`), planes, rate, kind);
}
const written = (recorder: Recorder, tones = event): string =>
  file([recordedEvent(tones, { seed: made, ...recorder })], recorder.rate);

const sync = (paths: readonly string[], options: object = { find_only: true }): Promise<Ran> =>
  runWith(alignRecordings, { file_ids: [...paths] }, options, join(folder, 'run-'));
const resultOf = ({ result }: Ran): AlignRecordingsResult => result as unknown as AlignRecordingsResult;

const isSame = (one: Float32Array | undefined, other: Float32Array | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.length === other.length &&
  one.every((each, at) => each === other[at]);

/** Where second 0 of a recording is in another's. */
const apart = (one: Recorder, other: Recorder): number => (one.starts - other.starts) / (1 + (other.ppm ?? 0) * 1e-6);

describe('where recordings lie', () => {
  it('is found to 0.1 ms and 0.5 ppm, at 8 to 96 kHz, mono or stereo, upside down', async () => {
    const reference: Recorder = { starts: 2, seconds: 66, rate: 48_000, ppm: 12 };
    const others: Recorder[] = [
      { starts: 9.123_456, seconds: 56, rate: 8000, ppm: -140 },
      { starts: 14.5, seconds: 50, rate: 96_000, ppm: 60, gain: -0.4 },
    ];
    const stereo = recordedEvent(event, { starts: 22.25, seconds: 45, rate: 44_100, ppm: 0 });
    const paths = [
      written(reference),
      ...others.map((each) => written(each)),
      file([stereo, stereo.map((each) => each / 2)], 44_100),
    ];
    const { recordings } = resultOf(await sync(paths));
    for (const [index, other] of [...others, { starts: 22.25, ppm: 0, seconds: 45, rate: 44_100 }].entries()) {
      const { pieces, polarity, confidence } = recordings[index + 1] as (typeof recordings)[number];
      expect(pieces, shown).toHaveLength(1);
      const slope = ((1 + (other.ppm ?? 0) * 1e-6) / (1 + 12e-6) - 1) * 1e6;
      expect(Math.abs((pieces[0]?.offsetSeconds ?? 0) - apart(other, reference)), shown).toBeLessThan(1e-4);
      expect(Math.abs((pieces[0]?.driftPpm ?? 0) - slope), shown).toBeLessThan(0.5);
      expect(polarity, shown).toBe(other.gain === -0.4 ? 'inverted' : 'same');
      expect(confidence, shown).toBeGreaterThan(0.9);
    }
  });

  it('is a timeline with a track for each, right in its middle, which says by how much its ends are off', async () => {
    const recorders: Recorder[] = [
      { starts: 12, seconds: 50, rate: 16_000 },
      { starts: 2, seconds: 66, rate: 16_000, ppm: 200 },
    ];
    const [late = '', early = ''] = recorders.map((each) => written(each));
    const strange = written({ starts: 0, seconds: 40, rate: 16_000 }, madeEvent(seed + 1, 45));
    const inputs = [late, strange, early];
    const { result } = await sync(inputs, { find_only: true, reference: 1 });
    const run = { tool: 'align_recordings', result, outputs: [] } as unknown as Parameters<typeof runTimeline>[0];
    const { text, leftOut } = runTimeline(run, inputs, 'otio');
    expect(leftOut).toContain('1 recording in which nothing in common was found');
    const away = leftOut.find((each) => each.startsWith('the drift of clocks'));
    expect(away).toMatch(/off by up to 7 ms/);
    interface Item {
      readonly name: string;
      readonly source_range: { readonly duration: { readonly value: number; readonly rate: number } };
    }
    const { tracks } = JSON.parse(text) as {
      readonly tracks: { readonly children: readonly { readonly name: string; readonly children: readonly Item[] }[] };
    };
    const [first, second] = tracks.children.map(({ children }) =>
      children.map(({ name, source_range: { duration } }) => [name, duration.value / duration.rate] as const),
    );
    // The middle of the early one, 33 s in, is at 35 s of the event and at 23 s of the late one.
    const [gap, clip] = first as readonly (readonly [string, number])[];
    const [whole] = second as readonly (readonly [string, number])[];
    expect([gap?.[0], clip?.[0], whole?.[0]]).toEqual(['', basename(late), basename(early)]);
    expect(whole?.[1]).toBeCloseTo(66, 2);
    const middle = 33 * (1 + 200e-6) + 2 - 12;
    expect(33 - (gap?.[1] ?? 0), shown).toBeCloseTo(middle, 3);
  });

  it('is told in the clock of the recording that is named', async () => {
    const [one, two] = [
      { starts: 0, seconds: 60, rate: 16_000 },
      { starts: 6.5, seconds: 45, rate: 16_000 },
    ] as const;
    const found = resultOf(await sync([written(one), written(two)], { find_only: true, reference: 2 }));
    expect(found.reference).toBe(2);
    expect(found.recordings[0]?.pieces[0]?.offsetSeconds).toBeCloseTo(-6.5, 4);
    expect(found.recordings[1]?.pieces[0]?.offsetSeconds).toBe(0);
  });

  it('is nowhere for another event, for a loop and for silence', async () => {
    const reference = written({ starts: 0, seconds: 60, rate: 16_000 });
    const other = written({ starts: 0, seconds: 60, rate: 16_000 }, madeEvent(seed + 1, 90));
    const turn = recordedEvent(madeEvent(seed + 2, 6), { starts: 0, seconds: 4, rate: 16_000 });
    const loop = Float32Array.from({ length: 60 * 16_000 }, (_, at) => turn[at % turn.length] as number);
    const part = file([loop.subarray(0, 45 * 16_000)], 16_000);
    const silence = file([new Float32Array(30 * 16_000)], 16_000);
    const strange = await sync([reference, other, silence]);
    expect(codesOf(strange)).toEqual(['no_common_sound', 'no_common_sound']);
    expect(resultOf(strange).recordings.map(({ pieces }) => pieces.length)).toEqual([1, 0, 0]);
    expect(strange.outputs).toEqual([]);
    expect(codesOf(await sync([file([loop], 16_000), part]))).toEqual(['repeats']);
  });

  it('is nowhere for less than half a minute of the same event, which is said as what it is', async () => {
    const whole = written({ starts: 0, seconds: 60, rate: 16_000 });
    const saidOf = async (seconds: number): Promise<(string | undefined)[]> =>
      (await sync([whole, written({ starts: 5, seconds, rate: 16_000 })])).warnings.map(({ message }) => message);
    expect(await saidOf(14), shown).toEqual([
      expect.stringMatching(/too little sound to find its place: it takes some 30 s/),
    ]);
    expect(await saidOf(30), shown).toEqual([]);
    const other = written({ starts: 0, seconds: 30, rate: 16_000 }, madeEvent(seed + 1, 90));
    const [strange] = (await sync([whole, other])).warnings;
    expect(strange?.message, shown).toMatch(/holds nothing that the reference/);
  });

  it('is told for every delay of a call that jumps, to 1 ms, on one clock', slow, async () => {
    const long = madeEvent(seed + 4, 210);
    const delays = [0.2, 0.245, 0.215, 0.26];
    const delayAt = (at: number): number => delays[Math.min(3, Math.floor(at / 50))] as number;
    const call = written({ starts: 1, seconds: 205, rate: 16_000, ppm: 25, sways: (at) => -delayAt(at) }, long);
    const own = written({ starts: 4, seconds: 195, rate: 16_000, ppm: -40 }, long);
    const ran = await sync([own, call]);
    const { pairs, recordings } = resultOf(ran);
    expect(codesOf(ran), shown).toEqual(['delay_jumps']);
    const drift = ((1 - 40e-6) / (1 + 25e-6) - 1) * 1e6;
    expect(Math.abs((recordings[0]?.pieces[0]?.driftPpm ?? 0) - drift), shown).toBeLessThan(0.5);
    expect(pairs[0]?.kind).toBe('call');
    expect(
      pairs[0]?.delays.map(({ offsetSeconds }, index) =>
        Math.abs(offsetSeconds - (3 + (delays[index] as number)) / (1 + 25e-6)),
      ),
      shown,
    ).toEqual(delays.map(() => expect.toSatisfy((miss: number) => miss < 0.001)));
  });

  it('is nowhere where two shows only have the jingle at both ends in common', slow, async () => {
    const jingle = madeEvent(seed + 3, 21);
    const show = (own: number): string => {
      const out = recordedEvent(madeEvent(own, 110), { starts: 0, seconds: 110, rate: 16_000 });
      const part = recordedEvent(jingle, { starts: 0, seconds: 20, rate: 16_000 });
      out.set(part, 0);
      out.set(part, own % 2 === 0 ? 90 * 16_000 : 85 * 16_000);
      return file([out], 16_000);
    };
    expect(codesOf(await sync([show(seed * 2), show(seed * 2 + 1)]))).toEqual(['no_common_sound']);
  });

  it('takes the shortest, emptiest and most broken recordings without an error', slow, async () => {
    const tiny = file([new Float32Array(160).fill(0.1)], 16_000);
    const broken = recordedEvent(event, { starts: 0, seconds: 40, rate: 16_000 });
    for (let at = 0; at < broken.length; at += 977) broken[at] = [Number.NaN, 1e30, -Infinity][at % 3] as number;
    const path = writeWav(join(folder, 'broken.wav'), [broken], 16_000, 'f32');
    const same = written({ starts: 1, seconds: 30, rate: 16_000 });
    expect(resultOf(await sync([tiny, path, same, same])).recordings).toHaveLength(4);
  });
});

describe('the outputs', () => {
  const rate = 16_000;
  const reference: Recorder = { starts: 0, seconds: 50, rate, noise: 0 };
  const other: Recorder = { starts: 5.678_9, seconds: 44, rate, ppm: 130, noise: 0 };

  it('begin and end together, the reference untouched, the clock of the other corrected', async () => {
    const paths = [written(reference), file([recordedEvent(event, other)], rate, 's24')];
    const { outputs, result } = await sync(paths, {});
    const [first, second] = outputs.map(({ path }) => readAll(path));
    expect(outputs.map(({ filename }) => filename)).toEqual(
      ['recording-1.wav', 'recording-2.wav'].map((_, at) => `recording-${made - 1 + at}.wav`),
    );
    expect(second?.planes[0]).toHaveLength(50 * rate);
    expect(isSame(first?.planes[0], readAll(paths[0] as string).planes[0])).toBe(true);
    expect((result as unknown as AlignRecordingsResult).written).toEqual({ startSeconds: 0, durationSeconds: 50 });
    let [error, power] = [0, 0];
    for (let at = 8 * rate; at < 49 * rate; at += 1) {
      const [a, b] = [first?.planes[0]?.[at] as number, second?.planes[0]?.[at] as number];
      error += (a - b) ** 2;
      power += a * a;
    }
    // 12 us against 3.4 kHz.
    expect(10 * Math.log10(error / power), shown).toBeLessThan(-25);
  });

  it('trim to what all have, or are as long as the reference, and move by whole samples alone', slow, async () => {
    const late = { ...reference, starts: 3 };
    const paths = [written(reference), written(late)];
    const trimmed = await sync(paths, { ends: 'trim', output_format: 'flac' });
    expect(trimmed.outputs.map(({ path }) => readAll(path).planes[0]?.length)).toEqual(
      [47, 47].map((each) => each * rate),
    );
    const asReference = await sync(paths, { ends: 'reference', correct_drift: false });
    const [, moved] = asReference.outputs.map(({ path }) => readAll(path).planes[0] as Float32Array);
    const source = readAll(paths[1] as string).planes[0] as Float32Array;
    expect(moved).toHaveLength(50 * rate);
    expect(isSame(moved?.subarray(3 * rate), source.subarray(0, 47 * rate))).toBe(true);
  });

  it('of a video are its sound, and its picture is said to be left', slow, async () => {
    const video = makeVideo(join(folder, 'camera.mp4'), [recordedEvent(event, { ...reference, seconds: 40 })], rate);
    const ran = await sync([video, written({ ...reference, starts: 2 })], {});
    expect(codesOf(ran)).toContain('picture_not_moved');
    expect(ran.outputs.map(({ format }) => format)).toEqual(['wav', 'wav']);
  });
});

it('the number of the reference is that of a recording', async () => {
  const path = written({ starts: 0, seconds: 2, rate: 8000 });
  await expect(sync([path, path], { reference: 3 })).rejects.toThrow('one of the 2 recordings');
});
