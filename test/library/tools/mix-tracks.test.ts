import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { mixTracks } from '../../../src/library/tools/mix_tracks/tool.ts';
import { chords, conversation, slice, sum, type Turn } from '../dsp/speech-like.ts';
import { codesOf, lufs, type Ran, runWith } from '../dsp/tool-run.ts';
import {
  ffmpeg,
  hasFfmpeg,
  loudnessByFfmpeg,
  needFfmpeg,
  packetHashes,
  readAll,
  scratch,
  thrownBy,
  writeAll,
} from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { difference, fromDb, noise, rms, tone, toDb, toneLevelDb, voice } from '../../fixtures/media/signals.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { slow } from '../../fixtures/rounds.ts';

const file = scratch();
const mix = (paths: readonly string[], options: object = {}, signal?: AbortSignal): Promise<Ran> =>
  runWith(mixTracks, { tracks: paths }, options, file('run-'), signal);
const read = (ran: Ran): Float32Array[] => readAll(ran.outputs[0]?.path ?? '').planes;
const wav = (name: string, planes: readonly Float32Array[], rate: number): string =>
  writeWav(file(name), planes, rate, 'f32');

describe('adding', () => {
  const rate = 48_000;
  it('is the weighted sum of the tracks, to the sample, as long as the longest', slow, async () => {
    const [a, b, c] = [
      voice(3 * rate, rate, 1, 0.05),
      voice(2 * rate, rate, 2, 0.05),
      voice(1.5 * rate, rate, 3, 0.05),
    ];
    const ran = await mix([wav('a.wav', [a], rate), wav('b.wav', [b], rate), wav('c.wav', [c], rate)], {
      tracks: [{}, { role: 'music', volume_db: -6 }, { role: 'effects', volume_db: 3.5 }],
      target: 'custom',
      custom_lufs: -30,
    });
    const [out] = read(ran) as [Float32Array];
    const gainDb = ran.result['gainDb'] as number;
    const expected = sum(
      a,
      b.map((x) => x * fromDb(-6)),
      c.map((x) => x * fromDb(3.5)),
    );
    const scale = rms(out) / rms(expected);
    expect(toDb(scale)).toBeCloseTo(gainDb, 1);
    expect(ran.result['limited']).toBe(false);
    expect(
      difference(
        out,
        expected.map((x) => x * scale),
      ),
    ).toBeLessThan(2e-6);
    expect(out.length).toBe(3 * rate);
    expect(ran.result['tracks']).toMatchObject([
      { role: 'voice', volumeDb: 0 },
      { role: 'music', volumeDb: -6, ducked: false },
      { role: 'effects', volumeDb: 3.5, durationSeconds: 1.5 },
    ]);
  });

  it('reaches the target and the ceiling, whatever the volumes', async () => {
    for (const volume_db of [-40, 20]) {
      const path = wav(`v${volume_db}.wav`, [voice(5 * rate, rate, 4)], rate);
      const ran = await mix([path, path], { tracks: [{ volume_db }, { volume_db }] });
      const { integratedLufs, truePeakDbtp } = ran.result['output'] as { integratedLufs: number; truePeakDbtp: number };
      expect(Math.abs(integratedLufs + 16)).toBeLessThanOrEqual(0.1);
      expect(truePeakDbtp).toBeLessThanOrEqual(-0.95);
    }
  });

  it('stands mono in the centre at unity and is stereo as soon as one track is', async () => {
    const mono = tone(4 * rate, rate, 500, -30);
    const [left, right] = [tone(4 * rate, rate, 1000, -30), tone(4 * rate, rate, 2000, -36)];
    const ran = await mix([wav('mono.wav', [mono], rate), wav('wide.wav', [left, right], rate)], {
      target: 'custom',
      custom_lufs: -30,
    });
    const [outLeft, outRight] = read(ran) as [Float32Array, Float32Array];
    const gainDb = ran.result['gainDb'] as number;
    expect(ran.result).toMatchObject({ channels: 2, sampleRate: rate });
    expect(toneLevelDb(outLeft, rate, 500)).toBeCloseTo(-30 + gainDb, 1);
    expect(toneLevelDb(outRight, rate, 500)).toBeCloseTo(-30 + gainDb, 1);
    expect(toneLevelDb(outLeft, rate, 1000)).toBeCloseTo(-30 + gainDb, 1);
    expect(toneLevelDb(outRight, rate, 2000)).toBeCloseTo(-36 + gainDb, 1);
    expect(toneLevelDb(outRight, rate, 1000)).toBeLessThan(-90);
    // A track's own loudness is that of the file, not of its two copies.
    const [first] = ran.result['tracks'] as { input: { integratedLufs: number } }[];
    expect(first?.input.integratedLufs).toBeCloseTo(lufs([mono], rate), 1);
  });

  it('resamples to the rate of most sound, the highest of equals, without moving anything', async () => {
    const click = (frames: number, at: number): Float32Array => {
      const plane = new Float32Array(frames);
      plane.fill(0.3, at, at + 4);
      return plane;
    };
    // Clicks at 1 s, 2 s and 3 s, each on a track of another rate; a soft tone gives the mix a loudness.
    const rates = [16_000, 44_100, 48_000] as const;
    const paths = rates.map((each, index) =>
      wav(`click-${each}.wav`, [sum(click(4 * each, (index + 1) * each), tone(4 * each, each, 300, -45))], each),
    );
    const ran = await mix(paths, { target: 'custom', custom_lufs: -30 });
    const [out] = read(ran) as [Float32Array];
    expect(ran.result['sampleRate']).toBe(48_000);
    expect(Math.abs(out.length - 4 * 48_000)).toBeLessThanOrEqual(1);
    for (const [index, each] of rates.entries()) {
      // The middle of four samples at the track's own rate, as the centre of the click's energy.
      const expected = (index + 1) * 48_000 + (1.5 / each) * 48_000;
      let [moment, energy] = [0, 0];
      for (let i = Math.round(expected) - 60; i <= Math.round(expected) + 60; i += 1) {
        moment += i * (out[i] as number) ** 2;
        energy += (out[i] as number) ** 2;
      }
      expect(Math.abs(moment / energy - expected)).toBeLessThan(0.2);
    }
  });

  it('does not take the rate of one short effect', async () => {
    const talk = wav('talk-48k.wav', [tone(4 * 48_000, 48_000, 300, -25)], 48_000);
    const effect = wav('effect-96k.wav', [tone(96_000, 96_000, 900, -25)], 96_000);
    expect((await mix([effect, talk], {})).result['sampleRate']).toBe(48_000);
  });

  it('agrees with ffmpeg amix', async (context) => {
    needFfmpeg(context);
    const [a, b] = [
      wav('fa.wav', [voice(4 * rate, rate, 5, 0.1)], rate),
      wav('fb.wav', [voice(3 * rate, rate, 6, 0.1)], rate),
    ];
    const ran = await mix([a, b], { target: 'broadcast' });
    const bytes = ffmpeg('-i', a, '-i', b, '-filter_complex', 'amix=inputs=2:normalize=0', '-f', 'f32le', '-');
    const peer = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    const [out] = read(ran) as [Float32Array];
    const scale = rms(out) / rms(peer);
    expect(
      difference(
        out,
        peer.map((x) => x * scale),
      ),
    ).toBeLessThan(1e-5);
    expect(Math.abs(loudnessByFfmpeg(ran.outputs[0]?.path ?? '').lufs + 23)).toBeLessThanOrEqual(0.15);
  });

  it('is the same bit for bit the second time, and progress never falls', async () => {
    const paths = [
      wav('d1.wav', [voice(4 * rate, rate, 8)], rate),
      wav('d2.wav', [noise(3 * 44_100, 8, 0.1), noise(3 * 44_100, 9, 0.1)], 44_100),
    ];
    const [one, two] = [await mix(paths), await mix(paths)];
    expect(readFileSync(one.outputs[0]?.path ?? '').equals(readFileSync(two.outputs[0]?.path ?? ''))).toBe(true);
    expect(
      one.progress.every((fraction, index) => index === 0 || fraction >= (one.progress[index - 1] as number)),
    ).toBe(true);
  });
});

describe('ducking', () => {
  const rate = 44_100;
  const seconds = 24;
  const turns: Turn[] = [
    { from: 4, to: 9, dbfs: -22, hz: 120 },
    { from: 9.7, to: 12, dbfs: -22, hz: 120 },
    { from: 17, to: 21, dbfs: -22, hz: 120 },
  ];
  const pilotHz = 6000;
  let speech: Float32Array;
  let out: Float32Array;
  let ran: Ran;
  let gainDb: number;
  beforeAll(async () => {
    speech = sum(conversation(seconds, rate, turns), noise(seconds * rate, 3, 2e-4));
    // The music carries a tone that the voice has nothing of: it shows the music's gain at any time.
    const music = sum(chords(seconds * rate, rate, -26), tone(seconds * rate, rate, pilotHz, -30));
    ran = await mix([wav('duck-voice.wav', [speech], rate), wav('duck-music.wav', [music], rate)], {
      duck: true,
      tracks: [{ role: 'voice' }, { role: 'music' }],
      target: 'custom',
      custom_lufs: -30,
    });
    [out] = read(ran) as [Float32Array];
    gainDb = ran.result['gainDb'] as number;
  });
  /** Gain of the music around a time, dB, against what the mix does to everything. */
  const musicGain = (at: number): number =>
    toneLevelDb(slice(out, rate, at - 0.025, at + 0.025), rate, pilotHz) + 30 - gainDb;

  it('lets music fall by 12 dB within half a second around the first word, and not earlier', () => {
    expect(musicGain(3.4)).toBeGreaterThan(-0.6);
    for (const at of [4.5, 6, 8.9, 10.5, 17.5, 20]) expect(musicGain(at)).toBeCloseTo(-12, 0);
    expect(ran.result).toMatchObject({ duckDepthDb: 12, tracks: [{ ducked: false }, { ducked: true }] });
  });

  it('stays down in a short pause, comes back after a long one', () => {
    expect(musicGain(9.4)).toBeLessThan(-11);
    expect(musicGain(12.7)).toBeLessThan(-11);
    expect(musicGain(14.2)).toBeGreaterThan(-0.6);
    expect(musicGain(16.4)).toBeGreaterThan(-0.6);
    expect(musicGain(23.2)).toBeGreaterThan(-0.6);
  });

  it('goes down and up without a step', () => {
    for (const [from, to] of [
      [3.3, 4.6],
      [12.4, 14.2],
    ] as const) {
      const gains = Array.from({ length: Math.round((to - from) / 0.02) }, (_, k) => musicGain(from + 0.02 * k));
      const steps = gains.slice(1).map((gain, k) => Math.abs(gain - (gains[k] as number)));
      expect(Math.max(...steps)).toBeLessThan(1);
    }
  });

  it('leaves the voice within 0.5 dB of its own level', async () => {
    // How much of the known voice is in the mix: its projection, in which the music cancels.
    const voiceOnly = await mix(
      [wav('v-only.wav', [speech], rate), wav('nothing.wav', [new Float32Array(seconds * rate)], rate)],
      { target: 'custom', custom_lufs: -30 },
    );
    const [alone] = read(voiceOnly) as [Float32Array];
    const projected = (mixed: Float32Array): number => {
      let [dot, own] = [0, 0];
      for (let i = 5 * rate; i < 8 * rate; i += 1) {
        dot += (mixed[i] as number) * (speech[i] as number);
        own += (speech[i] as number) ** 2;
      }
      return toDb(dot / own);
    };
    expect(Math.abs(projected(out) - gainDb)).toBeLessThan(0.5);
    expect(Math.abs(projected(alone) - (voiceOnly.result['gainDb'] as number))).toBeLessThan(0.1);
  });

  it('is not moved by a cough or a door on the voice track', slow, async () => {
    const bang = noise(seconds * rate, 4, 2e-4);
    for (let i = 10 * rate; i < 10.3 * rate; i += 1)
      bang[i] = (bang[i] as number) * 800 * Math.exp(-(i - 10 * rate) / (0.08 * rate));
    const quiet = await mix(
      [wav('bang.wav', [bang], rate), wav('bed.wav', [chords(seconds * rate, rate, -26)], rate)],
      { duck: true, tracks: [{}, { role: 'music' }] },
    );
    expect(codesOf(quiet)).toContain('nothing_to_duck');
  });

  it('says so when there is no music or nobody speaks', async () => {
    const path = file('duck-voice.wav');
    expect((await mix([path, path], { duck: true })).warnings).toMatchObject([
      { code: 'nothing_to_duck', message: expect.stringContaining('role music') as string },
    ]);
    const still = await mix([file('duck-music.wav'), file('duck-music.wav')], {
      duck: true,
      tracks: [{ role: 'music' }, { role: 'effects' }],
    });
    expect(still.warnings).toMatchObject([
      { code: 'nothing_to_duck', message: expect.stringContaining('role voice') as string },
    ]);
  });
});

describe('files', () => {
  const rate = 44_100;
  it.each(['mp3', 'm4a', 'flac', 'wav'])(
    'writes %s at the target with the tags of the first track',
    async (output_format) => {
      const first = writeAll(file(`first-${output_format}.flac`), [voice(4 * rate, rate, 1, 0.2)], rate, {
        format: 'flac',
        tags: { title: 'Folge 1' },
      }).path;
      const ran = await mix([first, wav('other.wav', [voice(3 * rate, rate, 2, 0.2)], rate)], { output_format });
      const sound = readAll(ran.outputs[0]?.path ?? '');
      expect(sound.facts.tags).toMatchObject({ title: 'Folge 1' });
      expect(sound.frames).toBe(4 * rate);
      expect(Math.abs(lufs(sound.planes, rate) + 16)).toBeLessThanOrEqual(0.11);
      expect(ran.outputs[0]).toMatchObject({ filename: `first-${output_format}.${output_format}`, durationSeconds: 4 });
    },
  );

  it.runIf(hasFfmpeg)('keeps the picture of a first track that is a video', slow, async () => {
    const path = makeVideo(file('clip.mp4'), [voice(3 * rate, rate, 3, 0.2)], rate);
    const ran = await mix([path, wav('under.wav', [voice(2 * rate, rate, 4, 0.1)], rate)]);
    expect(ran.outputs[0]).toMatchObject({ format: 'mp4' });
    expect(packetHashes(ran.outputs[0]?.path ?? '', 'v')).toEqual(packetHashes(path, 'v'));
  });

  it('mixes twenty tracks', async () => {
    const paths = Array.from({ length: 20 }, (_, index) =>
      wav(`of-20-${index}.wav`, [tone(rate, rate, 200 + 100 * index, -40)], rate),
    );
    const [out] = read(await mix(paths, { target: 'custom', custom_lufs: -30, output_format: 'flac' })) as [
      Float32Array,
    ];
    const levels = Array.from({ length: 20 }, (_, index) => toneLevelDb(out, rate, 200 + 100 * index));
    expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(0.1);
  });

  it('leaves silence silent and says so; stops at the signal', async () => {
    const path = wav('still.wav', [new Float32Array(rate)], rate);
    expect(codesOf(await mix([path, path]))).toEqual(['silent']);
    const controller = new AbortController();
    controller.abort();
    await expect(mix([path, path], {}, controller.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('what is refused', () => {
  it('wants settings for every file or for none', async () => {
    const path = wav('some.wav', [tone(8000, 8000, 300, -20)], 8000);
    const error = await thrownBy(() => mix([path, path, path], { tracks: [{}, {}] }));
    expect(error).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('each of the 3 files') as string,
    });
    const facts = { format: 'wav', durationSeconds: 1, hasAudio: true, hasVideo: false };
    expect(mixTracks.plan({ tracks: [facts, facts] }, mixTracks.parseOptions({ tracks: [{}, {}] })).refusals).toEqual(
      [],
    );
    expect(
      mixTracks.plan({ tracks: [facts, facts, facts] }, mixTracks.parseOptions({ tracks: [{}, {}] })).refusals[0]?.code,
    ).toBe('bad_request');
  });

  it('fills in defaults and names what is wrong', async () => {
    expect(mixTracks.parseOptions({ tracks: [{}, { role: 'music', volume_db: -3 }] })).toEqual({
      duck: false,
      target: 'podcast',
      output_format: 'same',
      tracks: [
        { role: 'voice', volume_db: 0 },
        { role: 'music', volume_db: -3 },
      ],
    });
    expect(mixTracks.parseOptions({ tracks: '[{"role":"music"},{}]', duck: 'true' }, 'text')).toMatchObject({
      duck: true,
      tracks: [{ role: 'music' }, { role: 'voice' }],
    });
    for (const options of [
      { tracks: [{ role: 'choir' }, {}] },
      { tracks: [{ volume_db: 21 }, {}] },
      { tracks: [{}] },
      { tracks: [{ file_id: 'x' }, {}] },
      { target: 'custom' },
      { custom_lufs: -20 },
      { target: 'audiobook' },
    ]) {
      expect((await thrownBy(() => mixTracks.parseOptions(options))).code).toBe('bad_request');
    }
    expect(mixTracks.inputs.tracks).toMatchObject({ min: 2, max: 20, multiple: true, itemKey: 'file_id' });
  });
});
