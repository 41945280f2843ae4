import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { removeSilence } from '../../../src/library/tools/remove_silence/tool.ts';
import { readAll, scratch } from '../../fixtures/media/media.ts';
import { recording } from '../../fixtures/recordings.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { make, rms, seeded, voice } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const path = scratch();
const rate = 16_000;
const seed = 11;
console.info(`remove silence: seed ${seed}`);

/** Speech-like bursts at known places over noise, 20 dB apart. */
function scripted(bursts: readonly (readonly [number, number])[], seconds: number, snrDb: number): Float32Array {
  const random = seeded(seed);
  const speech = voice(seconds * rate, rate, seed);
  const on = (frame: number): boolean => bursts.some(([from, to]) => frame >= from * rate && frame < to * rate);
  const spoken = speech.map((value, frame) => (on(frame) ? value : 0));
  const level = rms(Float32Array.from(speech.filter((_, frame) => on(frame))));
  const noise = level * 10 ** (-snrDb / 20) * Math.sqrt(3);
  return make(seconds * rate, (frame) => (spoken[frame] ?? 0) + (2 * random() - 1) * noise);
}

const cutsOf = (result: Record<string, unknown>): [number, number][] => result['cuts'] as [number, number][];

describe('remove_silence', () => {
  const bursts = [
    [0.8, 2.1],
    [3.4, 5.05],
    [5.45, 7],
    [8.9, 9.6],
    [11.2, 12.5],
  ] as const;

  it('places the edges of pauses within 20 ms of the truth at 20 dB SNR', async () => {
    const source = writeWav(path('scripted.wav'), [scripted(bursts, 13, 20)], rate);
    const { result } = await runTool(removeSilence, source, { keep_seconds: 0 }, path('scripted-'));
    const truth = [
      [0, 0.8],
      [2.1, 3.4],
      [7, 8.9],
      [9.6, 11.2],
    ];
    const cuts = cutsOf(result);
    expect(cuts.length).toBe(truth.length);
    for (const [index, [start, end]] of truth.entries()) {
      expect(Math.abs((cuts[index]?.[0] ?? 99) - (start as number))).toBeLessThanOrEqual(0.02);
      expect(Math.abs((cuts[index]?.[1] ?? 99) - (end as number))).toBeLessThanOrEqual(0.02);
    }
  });

  it('leaves keep_seconds of each pause, split around the cut, and reports what it removed', async () => {
    const source = writeWav(path('keep.wav'), [scripted(bursts, 13, 20)], rate);
    const { path: out, result } = await runTool(
      removeSilence,
      source,
      { min_pause_seconds: 1, keep_seconds: 0.4 },
      path('keep-'),
    );
    const cuts = cutsOf(result);
    expect(result['pausesShortened']).toBe(3);
    expect(Math.abs((cuts[0]?.[0] ?? 99) - 2.3)).toBeLessThanOrEqual(0.021);
    expect(Math.abs((cuts[0]?.[1] ?? 99) - 3.2)).toBeLessThanOrEqual(0.021);
    const removed = cuts.reduce((sum, [start, end]) => sum + end - start, 0);
    expect(result['removedSeconds']).toBeCloseTo(removed, 4);
    expect(readAll(out).planes[0]?.length).toBe(Math.round((13 - removed) * rate));
  });

  it('keeps the room tone at its level across the cuts, without clicks', async () => {
    const tone = scripted(bursts, 13, 20);
    const source = writeWav(path('room.wav'), [tone], rate);
    const { path: out, result } = await runTool(removeSilence, source, {}, path('room-'));
    const read = readAll(out).planes[0] as Float32Array;
    const background = rms(tone.slice(0.1 * rate, 0.7 * rate));
    let shift = 0;
    for (const [start, end] of cutsOf(result)) {
      const seam = Math.round((start - shift) * rate);
      shift += end - start;
      if (seam === 0 || seam >= read.length) continue;
      const around = read.slice(seam - 0.02 * rate, seam + 0.02 * rate);
      expect(Math.abs(20 * Math.log10(rms(around) / background))).toBeLessThan(1.5);
      expect(around.reduce((most, value) => Math.max(most, Math.abs(value)), 0)).toBeLessThan(background * 4);
    }
  });

  it('removes nothing of a steady sound, of noise, or of silence', async () => {
    const random = seeded(3);
    const steady = make(4 * rate, (frame) => 0.3 * Math.sin(frame * 0.2));
    const hiss = make(4 * rate, () => 0.1 * (random() - 0.5));
    for (const [name, plane] of [
      ['steady', steady],
      ['hiss', hiss],
      ['silence', new Float32Array(4 * rate)],
    ] as const) {
      const { result, warnings } = await runTool(
        removeSilence,
        writeWav(path(`${name}.wav`), [plane], rate),
        {},
        path(`${name}-`),
      );
      expect([name, result['removedSeconds']]).toEqual([name, 0]);
      expect(warnings.map((warning) => warning.code)).toEqual([name === 'silence' ? 'silent' : 'no_pauses']);
      if (name !== 'silence')
        expect(warnings[0]?.message).toMatch(/nothing was removed: sound and background differ by \d dB/u);
    }
  });

  it.each([0.5, 2, 9])('finds the speech where it is %d percent of a recording', slow, async (percent) => {
    const seconds = 120;
    const said = [[40, 40 + (seconds * percent) / 100]] as const;
    const background = { room: scripted(said, seconds, 30), silence: scripted(said, seconds, 200) };
    for (const [name, plane] of Object.entries(background)) {
      const source = writeWav(path(`${name}-${percent}.wav`), [plane], rate);
      const { result, warnings } = await runTool(
        removeSilence,
        source,
        { keep_seconds: 0 },
        path(`${name}-${percent}-`),
      );
      expect(warnings).toEqual([]);
      const cuts = cutsOf(result);
      expect(cuts).toHaveLength(2);
      expect(Math.abs((cuts[0]?.[1] ?? 0) - 40)).toBeLessThanOrEqual(0.02);
      expect(Math.abs((cuts[1]?.[0] ?? 0) - said[0][1])).toBeLessThanOrEqual(0.1);
    }
  });

  it('leaves a room with a knock, and soft music with a few loud chords, and says why', async () => {
    const random = seeded(5);
    const knock = make(60 * rate, (frame) => 0.002 * (random() - 0.5) + (Math.abs(frame - 30 * rate) < 400 ? 0.5 : 0));
    const chord = (frame: number): number => Math.sin(frame * 0.17) + Math.sin(frame * 0.21) + Math.sin(frame * 0.26);
    // A chord each second that dies away by 26 dB; each tenth is loud.
    const soft = make(60 * rate, (frame) => {
      const beat = Math.floor(frame / rate);
      return (beat % 10 === 9 ? 0.2 : 0.02) * chord(frame) * Math.exp((-3 * (frame % rate)) / rate);
    });
    for (const [name, plane] of Object.entries({ knock, soft })) {
      const { result, warnings } = await runTool(
        removeSilence,
        writeWav(path(`${name}.wav`), [plane], rate),
        {},
        path(`${name}-`),
      );
      expect([name, result['removedSeconds']]).toEqual([name, 0]);
      expect(warnings.map(({ code }) => code)).toEqual(['no_pauses']);
    }
  });

  it('says that pauses are too short to be shortened', async () => {
    const source = writeWav(path('short.wav'), [scripted(bursts, 13, 20)], rate);
    const { warnings } = await runTool(removeSilence, source, { min_pause_seconds: 5 }, path('short-'));
    expect(warnings).toEqual([
      {
        code: 'no_pauses',
        message: expect.stringMatching(
          /the longest pause lasts 1\.\d+ s; pauses are shortened from 5 s on, to 0\.\d+ s$/u,
        ),
      },
    ]);
  });

  it('touches no word of the aligned recording', async () => {
    const source = recording('acoustic_corpus.wav');
    const grid = recording('acoustic_corpus.TextGrid');
    const { result } = await runTool(removeSilence, source, { min_pause_seconds: 0.3 }, path('corpus-'));
    const words = [...readFileSync(grid, 'utf8').matchAll(/([\d.]+)\s+([\d.]+)\s+"([^"]+)"/g)].map((match) => ({
      start: Number(match[1]),
      end: Number(match[2]),
      text: match[3],
    }));
    const spoken = words.filter((word) => word.end - word.start < 5 && !/^(sil|sp|spn)?$/.test(word.text ?? ''));
    expect(spoken.length).toBeGreaterThan(100);
    const cuts = cutsOf(result);
    expect(cuts.length).toBeGreaterThan(0);
    const touched = spoken.filter((word) =>
      cuts.some(([start, end]) => Math.min(end, word.end) - Math.max(start, word.start) > 0.001),
    );
    expect(touched).toEqual([]);
  });

  it('cuts nothing out of the lines of a read poem', slow, async () => {
    const source = recording('sonnet001.mp3');
    const { result } = await runTool(removeSilence, source, { keep_seconds: 0 }, path('sonnet-'));
    const cuts = cutsOf(result);
    expect(cuts.length).toBeGreaterThan(3);
    // Levels of what was cut: nothing of it comes near speech.
    const whole = readAll(source);
    for (const [start, end] of cuts) {
      const part = (whole.planes[0] as Float32Array).slice(Math.ceil(start * 44_100), Math.floor(end * 44_100));
      for (let at = 0; at + 882 <= part.length; at += 882)
        expect(20 * Math.log10(rms(part.slice(at, at + 882)) + 1e-9)).toBeLessThan(-34);
    }
  });
});
