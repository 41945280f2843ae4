// @module-tag slower
// level_speakers, one recording: the loudness of every turn and the noise between turns, read by ffmpeg's ebur128.
import { describe, expect, it } from 'vitest';
import { levelSpeakers } from '../../../src/library/tools/level_speakers/tool.ts';
import { babble, slice } from '../dsp/speech-like.ts';
import { runWith } from '../dsp/tool-run.ts';
import { loudnessByFfmpeg, needFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { fromDb, noise, rms, toDb } from '../../fixtures/media/signals.ts';
import { recording } from '../../fixtures/recordings.ts';

const file = scratch();
const rate = 16_000;
const read = (plane: Float32Array): number => loudnessByFfmpeg(writeWav(file('cut.wav'), [plane], rate, 'f32')).lufs;

interface Scene {
  readonly levels: readonly number[];
  readonly gapSeconds: number;
  readonly noiseDbfs: number;
}

interface Heard {
  /** LUFS of each turn in the output. */
  readonly turns: number[];
  /**
   * How far the noise of each gap rose, dB: in the third beside the louder turn over that turn's gain, and in the whole
   * over the softer turn's gain, which it has before that turn's first word.
   */
  readonly rises: number[];
}

/** Puts turns one after the other, each at its loudness, over noise; levels them; reads turns and gaps again. */
async function heard(voices: readonly Float32Array[], { levels, gapSeconds, noiseDbfs }: Scene): Promise<Heard> {
  const gap = Math.round(gapSeconds * rate);
  const places: [number, number][] = [];
  let frame = gap;
  for (const index of levels.keys()) {
    const { length } = voices[index] as Float32Array;
    places.push([frame, frame + length]);
    frame += length + gap;
  }
  const background = noise(frame, 4, fromDb(noiseDbfs) * Math.sqrt(3));
  const input = background.slice();
  for (const [index, [from]] of places.entries()) {
    const turn = voices[index] as Float32Array;
    const gain = fromDb((levels[index] as number) - read(turn));
    for (const [i, x] of turn.entries()) input[from + i] = (input[from + i] as number) + gain * x;
  }
  const path = writeWav(file('turns.wav'), [input], rate, 'f32');
  const ran = await runWith(levelSpeakers, { file_id: [path] }, {}, file('run-'));
  const output = readAll(ran.outputs[0]?.path ?? '').planes[0] as Float32Array;
  const turns = places.map(([from, to]) => read(output.slice(from, to)));
  const gains = places.map(([from, to], index) => (turns[index] as number) - read(input.slice(from, to)));
  const rises = places.slice(1).flatMap(([to], index) => {
    const [, from] = places[index] as [number, number];
    const lift = (start: number, end: number): number =>
      toDb(rms(output.slice(start, end)) / rms(background.slice(start, end)));
    const [before, after] = [gains[index] as number, gains[index + 1] as number];
    const third = Math.floor((to - from) / 3);
    const besideLouder = before < after ? lift(from, from + third) : lift(to - third, to);
    return [besideLouder - Math.min(before, after), lift(from, to) - Math.max(before, after)];
  });
  return { turns, rises };
}

describe('turns are within 1.5 LU of the target, and noise rises no more than the voice beside it', () => {
  const expectLevel = ({ turns, rises }: Heard): void => {
    for (const [index, lufs] of turns.entries()) expect(Math.abs(lufs + 16), `turn ${index + 1}`).toBeLessThan(1.5);
    // A tenth for ffmpeg's tenths, two for what the limiter takes from a voice beside a pause too short to rest in.
    for (const [index, rise] of rises.entries()) expect(rise, `pause ${index >> 1}`).toBeLessThan(0.3);
  };
  const [reader, president] = [recording('austen-0870.wav'), recording('jfk.wav')].map(
    (path) => readAll(path).planes[0] as Float32Array,
  ) as [Float32Array, Float32Array];
  const real = [0.4, 3.4, 2.7].flatMap((from) => [
    slice(reader, rate, from, from + 3),
    slice(president, rate, from, from + 3),
  ]);

  it.for([
    { levels: [-19, -24, -21, -28], gapSeconds: 0.6, noiseDbfs: -65 },
    { levels: [-19, -24, -21, -28], gapSeconds: 0.3, noiseDbfs: -65 },
    { levels: [-28, -21, -24, -19], gapSeconds: 1.5, noiseDbfs: -50 },
    { levels: [-16, -46, -20, -40], gapSeconds: 0.7, noiseDbfs: -75 },
    { levels: [-14, -54, -30, -44], gapSeconds: 0.7, noiseDbfs: -80 },
  ])(
    'two real voices at $levels LUFS, $gapSeconds s between them, noise at $noiseDbfs dBFS',
    async (scene, context) => {
      needFfmpeg(context);
      expectLevel(await heard(real, scene));
    },
  );

  it.for([
    { seconds: 1.6, levels: [-19, -24, -21, -28, -19, -24, -21, -28] },
    { seconds: 1.6, levels: [-20, -32, -20, -24, -40, -22] },
    { seconds: 1.6, levels: [-14, -54, -16, -54, -34, -54] },
    { seconds: 2.5, levels: [-54, -14, -54, -14] },
  ])('turns of $seconds s at $levels LUFS', async ({ seconds, levels }, context) => {
    needFfmpeg(context);
    const voices = levels.map((_, index) => babble(seconds * rate, rate, index % 2 === 0 ? 115 : 190, 31 + index));
    expectLevel(await heard(voices, { levels, gapSeconds: 0.7, noiseDbfs: -82 }));
  });
});
