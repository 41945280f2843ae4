// enhance_voice as a whole. RNNoise, so that the same runs everywhere; the last cases need ../shared/samples.
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDemoClip } from '../../../fixtures/media/demo-clip.ts';
import { enhanceVoice } from '../../../../src/library/tools/enhance_voice/tool.ts';
import { outputRate } from '../../../../src/library/tools/enhance_voice/run.ts';
import { loudnessByFfmpeg, needFfmpeg, packetHashes, readAll, scratch } from '../../../fixtures/media/media.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { rounds, slow, slower } from '../../../fixtures/rounds.ts';
import { runTool, type ToolRun } from '../../../fixtures/media/run-context.ts';
import { difference, fromDb, lagOf, make, noise, rms, spectrumOf, toDb } from '../../../fixtures/media/signals.ts';
import { makeVideo } from '../../../fixtures/media/videos.ts';
import { codesOf, lufs } from '../../dsp/tool-run.ts';
import { chords } from '../../dsp/speech-like.ts';
import { pieces, strummed } from '../../../fixtures/sounds/music.ts';
import { creak, hoarse, whisper } from '../../../fixtures/sounds/revoice.ts';

const at = scratch();
const enhance = (path: string | Readonly<Record<string, readonly string[]>>, options: object = {}): Promise<ToolRun> =>
  runTool(enhanceVoice, path, options, at('work-'));
const before = process.env['EARSHOT_NOISE_ENGINE'];
beforeAll(() => {
  process.env['EARSHOT_NOISE_ENGINE'] = 'rnnoise';
});
afterAll(() => {
  if (before === undefined) delete process.env['EARSHOT_NOISE_ENGINE'];
  else process.env['EARSHOT_NOISE_ENGINE'] = before;
});

const clipPath = at('clip.wav');
writeFileSync(clipPath, makeDemoClip());
const rate = 48_000;
const clip = readAll(clipPath).planes[0] as Float32Array;
const phrase = clip.slice(0, 5 * rate);
const phrasePath = writeWav(at('phrase.wav'), [phrase], rate, 'f32');

/** Power of bands, dB, from transforms at several places. */
function bandsDb(
  plane: Float32Array,
  sampleRate: number,
  bands: readonly (readonly [fromHz: number, toHz: number])[],
): number[] {
  const sums = bands.map(() => 0);
  for (let from = 0; from + 8192 <= plane.length; from += 8192) {
    const { binHz, levelsDb } = spectrumOf(plane, sampleRate, 8192, from);
    for (const [band, [fromHz, toHz]] of bands.entries()) {
      for (let bin = Math.ceil(fromHz / binHz); bin < toHz / binHz; bin += 1)
        sums[band] = (sums[band] as number) + 10 ** ((levelsDb[bin] as number) / 10);
    }
  }
  return sums.map((sum) => 10 * Math.log10(sum));
}
const bandDb = (plane: Float32Array, sampleRate: number, fromHz: number, toHz: number): number =>
  bandsDb(plane, sampleRate, [[fromHz, toHz]])[0] as number;

describe('a noisy voice', () => {
  it('comes out in step and as long, cleaner, at -16 LUFS and under -1 dBTP', slow, async (context) => {
    const run = await enhance(clipPath);
    const out = readAll(run.path);
    expect(run.outputs[0]).toMatchObject({ format: 'wav', filename: 'clip.wav', durationSeconds: 12 });
    expect(out.format).toMatchObject({ sampleRate: rate, channels: 1 });
    expect(out.frames).toBe(clip.length);
    expect(lagOf(clip, out.planes[0] as Float32Array)).toBe(0);
    expect(Math.abs(lufs(out.planes, rate) + 16)).toBeLessThan(0.11);
    expect(codesOf(run as never)).toEqual([]);
    expect(run.progress.every((x, n) => x >= (run.progress[n - 1] ?? 0) && x <= 1)).toBe(true);
    // The first half second is noise alone.
    const pause = (plane: Float32Array): number => toDb(rms(plane.subarray(4800, 20_000)) / rms(plane));
    expect(pause(clip) - pause(out.planes[0] as Float32Array)).toBeGreaterThan(15);
    needFfmpeg(context);
    const other = loudnessByFfmpeg(run.path);
    expect(Math.abs(other.lufs + 16)).toBeLessThan(0.16);
    expect(other.truePeak).toBeLessThanOrEqual(-0.9);
  });

  it('less noise_reduction mixes the original in, sample for sample', slower, async () => {
    const [whole, half, least] = [100, 50, 10].map((noise_reduction) =>
      enhance(phrasePath, { noise_reduction, auto_volume: false }).then(
        (run) => readAll(run.path).planes[0] as Float32Array,
      ),
    );
    const [all, mixed, little] = [await whole, await half, await least] as [Float32Array, Float32Array, Float32Array];
    expect(
      difference(
        mixed,
        all.map((x, i) => 0.5 * x + 0.5 * (phrase[i] as number)),
      ),
    ).toBeLessThan(2e-4);
    expect(
      difference(
        little,
        all.map((x, i) => 0.1 * x + 0.9 * (phrase[i] as number)),
      ),
    ).toBeLessThan(2e-4);
    // No comb: where both have sound, the half mix is never weaker than the weaker of them.
    const levels = [all, mixed, phrase].map((plane) =>
      bandsDb(
        plane,
        rate,
        Array.from({ length: 36 }, (_, n) => [250 * 2 ** (n / 12), 250 * 2 ** ((n + 1) / 12)] as const),
      ),
    );
    for (const [n, level] of (levels[1] ?? []).entries())
      expect(level).toBeGreaterThan(Math.min(levels[0]?.[n] ?? 0, levels[2]?.[n] ?? 0) - 1);
  });

  // The voice's own stages keep it exactly (test/library/dsp/voice.test.ts); the noise suppressors within their
  // filters' accuracy.
  it('keeps its place in a stereo image', slower, async () => {
    const run = await enhance(writeWav(at('stereo.wav'), [phrase, phrase.map((x) => x * 0.3)], rate, 'f32'), {
      auto_volume: false,
    });
    const [left, right] = readAll(run.path).planes as [Float32Array, Float32Array];
    expect(toDb(rms(left.map((x, i) => 0.3 * x - (right[i] as number))) / rms(right))).toBeLessThan(-30);
  });

  it('goes through every format, and stays in a video', slower, async (context) => {
    const short = phrase.slice(0, 2 * rate);
    const path = writeWav(at('short.wav'), [short], rate, 'f32');
    for (const output_format of ['mp3', 'm4a', 'flac']) {
      const run = await enhance(path, { output_format });
      expect(run.outputs[0]).toMatchObject({ format: output_format });
      expect(readAll(run.path).frames).toBe(2 * rate);
    }
    needFfmpeg(context);
    const film = makeVideo(at('film.mp4'), [short], rate);
    const run = await enhance(film);
    expect(run.outputs[0]).toMatchObject({ format: 'mp4' });
    expect(packetHashes(run.path, 'v')).toEqual(packetHashes(film, 'v'));
  });
});

describe('a telephone voice', () => {
  const narrow = (): Float32Array => {
    // Every sixth sample of a smoothed clip: 8 kHz.
    const taps = Float64Array.from({ length: 49 }, (_, tap) => {
      const n = tap - 24;
      const x = n / 6.6;
      return (n === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)) * (0.5 + 0.5 * Math.cos((Math.PI * n) / 25));
    });
    return make(clip.length / 6, (i) => {
      let sum = 0;
      for (let tap = 0; tap < 49; tap += 1) sum += (clip[6 * i + tap - 24] ?? 0) * (taps[tap] as number);
      return sum / 6.6;
    });
  };

  it('gets highs that can be heard, and room for them', slower, async () => {
    const source = writeWav(at('call.wav'), [narrow()], 8000);
    const run = await enhance(source);
    const out = readAll(run.path);
    expect(run.result['found']).toMatchObject({ voice: true, bandwidthRestored: true });
    expect(out.format.sampleRate).toBe(48_000);
    expect(out.frames).toBe(clip.length);
    expect(lagOf(clip, out.planes[0] as Float32Array)).toBe(0);
    expect(
      bandDb(out.planes[0] as Float32Array, rate, 4500, 9000) - bandDb(out.planes[0] as Float32Array, rate, 300, 3000),
    ).toBeGreaterThan(-60);
  });

  it('stays at its rate where the output cannot hold more', () => {
    expect(outputRate(8000, true, { soundFormat: 'wav', format: 'wav' })).toBe(48_000);
    expect(outputRate(8000, false, { soundFormat: 'wav', format: 'wav' })).toBe(8000);
    expect(outputRate(44_100, true, { soundFormat: 'mp3', format: 'mp3' })).toBe(44_100);
    expect(outputRate(16_000, true, { soundFormat: null, format: 'mp4' })).toBe(48_000);
    expect(outputRate(8000, true, { soundFormat: 'wma', format: 'wma' })).toBe(48_000);
  });
});

describe('voices without harmonics', () => {
  const speech = (): Float32Array =>
    (readAll(recording('clean_speech_48k.wav')).planes[0] as Float32Array).slice(0, 8 * rate);
  const hiss = noise(8 * rate, 9, 1);

  const voices = [
    ['whisper', -58, whisper],
    ['hoarse', -23, hoarse],
    ['whisper', -23, whisper],
    ['creak', -58, creak],
    ['speech', -58, (plane: Float32Array) => plane],
  ] as const;
  it.each(voices.slice(0, rounds(2, voices.length)))(
    '%s at %s dBFS gets better: more of it over its noise than before',
    slow,
    async (name, dbfs, revoiced) => {
      const dry = revoiced(speech());
      const scale = fromDb(dbfs) / rms(dry);
      const voice = dry.map((x) => x * scale);
      const floor = fromDb(dbfs - 25) / rms(hiss);
      const noisy = voice.map((x, i) => x + floor * (hiss[i] as number));
      const run = await enhance(writeWav(at(`${name}${dbfs}.wav`), [noisy], rate, 'f32'), { auto_volume: false });
      expect(run.result['found']).toMatchObject({ voice: true });
      const out = readAll(run.path).planes[0] as Float32Array;
      const frame = 960;
      const levels = Array.from({ length: 400 }, (_, t) => rms(voice.subarray(t * frame, (t + 1) * frame)));
      const loud = levels.toSorted((a, b) => b - a)[40] as number;
      const overPauses = (plane: Float32Array): number => {
        const [said, paused] = [[] as number[], [] as number[]];
        for (const [t, level] of levels.entries())
          (level > 0.1 * loud ? said : level < 0.01 * loud ? paused : []).push(
            rms(plane.subarray(t * frame, (t + 1) * frame)) ** 2,
          );
        const mean = (powers: number[]): number => powers.reduce((total, x) => total + x, 0) / powers.length;
        return 10 * Math.log10(mean(said) / mean(paused));
      };
      expect(overPauses(out) - overPauses(noisy)).toBeGreaterThan(name === 'creak' ? 3 : 8);
      expect(toDb(rms(out) / rms(noisy))).toBeGreaterThan(-4);
    },
  );
});

describe('what is no voice', () => {
  it('silence stays silence', slow, async () => {
    const run = await enhance(
      writeWav(at('silence.wav'), [new Float32Array(2 * rate), new Float32Array(2 * rate)], rate),
    );
    expect(readAll(run.path).planes.every((plane) => plane.every((x) => x === 0))).toBe(true);
    expect(codesOf(run as never)).toEqual(['silent']);
  });

  it('music passes as it is, at its own level', slower, async () => {
    const music = chords(8 * rate, rate, -30);
    const source = writeWav(at('music.wav'), [music], rate, 'f32');
    for (const auto_volume of [false, true]) {
      const run = await enhance(source, { auto_volume });
      expect(codesOf(run as never)).toEqual(['music_kept', 'no_voice']);
      expect(difference(readAll(run.path).planes[0] as Float32Array, music)).toBe(0);
      if (auto_volume) expect(run.result).toMatchObject({ gainDb: 0, limited: false });
    }
  });

  it.each(rounds(['drums', 'strummed guitar'], ['rock', 'drums', 'bass', 'strummed guitar', 'pop']))(
    '%s keeps its level within a decibel',
    slow,
    async (name) => {
      const music = (pieces[name] as (seconds: number) => Float32Array)(8).map((x) => 0.3 * x);
      const run = await enhance(writeWav(at(`${name}.wav`), [music], rate, 'f32'));
      const out = readAll(run.path).planes[0] as Float32Array;
      expect(Math.abs(toDb(rms(out) / rms(music)))).toBeLessThan(1);
    },
  );

  it('a spoken count-in does not cost the guitar', slower, async () => {
    const guitar = strummed({ seconds: 12 });
    const song = guitar.map((x, i) => x + (i < 2 * rate ? 2 * (clip[i + rate] ?? 0) : 0));
    const run = await enhance(writeWav(at('count-in.wav'), [song], rate, 'f32'));
    const out = readAll(run.path).planes[0] as Float32Array;
    const alone = (plane: Float32Array): Float32Array => plane.subarray(5 * rate, 11 * rate);
    expect(Math.abs(toDb(rms(alone(out)) / rms(alone(song))))).toBeLessThan(1);
  });

  it('music before and after a voice stays, with the voice between them worked on', slower, async () => {
    const music = chords(7 * rate, rate, -20);
    const show = new Float32Array(26 * rate);
    show.set(music);
    show.set(clip, 7 * rate);
    show.set(music, 19 * rate);
    const run = await enhance(writeWav(at('show.wav'), [show], rate, 'f32'), { auto_volume: false });
    const out = readAll(run.path).planes[0] as Float32Array;
    // Within the music, away from its ends; and in the noise before the first word.
    expect(difference(out.slice(rate, 6 * rate), show.slice(rate, 6 * rate))).toBeLessThan(1e-6);
    expect(toDb(rms(out.slice(9 * rate, 18 * rate)) / rms(show.slice(9 * rate, 18 * rate)))).toBeGreaterThan(-8);
    expect(difference(out.slice(9 * rate, 18 * rate), show.slice(9 * rate, 18 * rate))).toBeGreaterThan(0.01);
  });

  it('noise alone is not made loud', slow, async () => {
    const run = await enhance(writeWav(at('noise.wav'), [noise(4 * rate, 5, 0.05)], rate), { auto_volume: false });
    expect(codesOf(run as never)).toEqual(['no_voice']);
  });
});

it('stops when it is told to', async () => {
  const stop = new AbortController();
  const running = runTool(enhanceVoice, clipPath, {}, at('work-'), stop.signal);
  setTimeout(() => stop.abort(), 150);
  await expect(running).rejects.toMatchObject({ name: 'AbortError' });
});

describe('real recordings', () => {
  it('clean full-band speech comes out nearly as it was, but for its level', slower, async () => {
    const path = recording('clean_speech_48k.wav');
    const run = await enhance(path, { auto_volume: false });
    expect(run.result['found']).toMatchObject({ voice: true, bandwidthRestored: false, reverberationSeconds: null });
    const [original, out] = [readAll(path).planes[0] as Float32Array, readAll(run.path).planes[0] as Float32Array];
    const dot =
      original.reduce((sum, x, i) => sum + x * (out[i] as number), 0) / original.reduce((sum, x) => sum + x * x, 0);
    expect(
      toDb(rms(original.map((x) => x * dot)) / rms(out.map((x, i) => x - dot * (original[i] as number)))),
    ).toBeGreaterThan(18);
    const bands = [
      [200, 500],
      [500, 1500],
      [1500, 4000],
      [4000, 9000],
    ] as const;
    const [was, is] = [bandsDb(original, rate, bands), bandsDb(out, rate, bands)];
    for (const [band, level] of is.entries())
      expect(Math.abs(level - (was[band] as number) - toDb(rms(out) / rms(original)))).toBeLessThan(2.5);
  });

  it('a voice that ends at 5 kHz gets highs', slower, async () => {
    const path = recording('jfk.wav');
    const run = await enhance(path);
    expect(run.result).toMatchObject({ sampleRate: 48_000, found: { bandwidthRestored: true } });
    const [original, out] = [
      readAll(path, { rate }).planes[0] as Float32Array,
      readAll(run.path).planes[0] as Float32Array,
    ];
    const highs = (plane: Float32Array): number => {
      const [high = 0, low = 0] = bandsDb(plane, rate, [
        [6000, 11_000],
        [300, 3000],
      ]);
      return high - low;
    };
    expect(highs(out) - highs(original)).toBeGreaterThan(15);
    expect(highs(out)).toBeLessThan(-15);
  });
});
