// mix_tracks: how loud voices and music stand beside each other, read by ffmpeg's ebur128. Every track sounds in one
// channel of its own, so that the mix can be taken apart again.
import { describe, expect, it } from 'vitest';
import { mixTracks } from '../../../src/library/tools/mix_tracks/tool.ts';
import { chords, slice } from '../dsp/speech-like.ts';
import { type Ran, runWith } from '../dsp/tool-run.ts';
import { loudnessByFfmpeg, needFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { fromDb, noise } from '../../fixtures/media/signals.ts';
import { recording } from '../../fixtures/recordings.ts';
import { slow } from '../../fixtures/rounds.ts';

const file = scratch();
const rate = 16_000;
const lufsOf = (plane: Float32Array): number => loudnessByFfmpeg(writeWav(file('cut.wav'), [plane], rate, 'f32')).lufs;
const atLufs = (plane: Float32Array, lufs: number): Float32Array => {
  const gain = fromDb(lufs - lufsOf(plane));
  return plane.map((x) => x * gain);
};
const wav = (name: string, plane: Float32Array, side: 'left' | 'right'): string => {
  const still = new Float32Array(plane.length);
  return writeWav(file(name), side === 'left' ? [plane, still] : [still, plane], rate, 'f32');
};
const mix = async (paths: readonly string[], options: object): Promise<[Float32Array, Float32Array, Ran]> => {
  const ran = await runWith(mixTracks, { tracks: paths }, options, file('run-'));
  const [left, right] = readAll(ran.outputs[0]?.path ?? '').planes as [Float32Array, Float32Array];
  return [left, right, ran];
};
const [reader, president] = [recording('austen-0870.wav'), recording('jfk.wav')].map(
  (path) => readAll(path).planes[0] as Float32Array,
) as [Float32Array, Float32Array];

/** A voice that speaks from 3 to 8 s and from 12 to 17 s, each time at its loudness, over the noise of its room. */
function speaking(first: number, second: number): Float32Array {
  const plane = noise(20 * rate, 3, fromDb(Math.min(first, second) - 45));
  for (const [from, lufs] of [
    [3, first],
    [12, second],
  ] as const) {
    const part = atLufs(slice(reader, rate, from === 3 ? 0 : 1.5, from === 3 ? 5 : 6.5), lufs);
    for (const [i, x] of part.entries()) plane[from * rate + i] = (plane[from * rate + i] as number) + x;
  }
  return plane;
}

describe('ducked music', () => {
  it.for([
    { voice: [-20, -20], music: -22 },
    { voice: [-30, -30], music: -10 },
    { voice: [-18, -36], music: -18 },
    { voice: [-55, -55], music: -16 },
    { voice: [-16, -16], music: -45 },
  ] as const)('lies 10 LU and more under a voice of $voice LUFS when it has $music', slow, async (scene, context) => {
    needFfmpeg(context);
    const voice = wav('voice.wav', speaking(scene.voice[0], scene.voice[1]), 'left');
    const music = wav('music.wav', atLufs(chords(20 * rate, rate, -20), scene.music), 'right');
    const [left, right, { result }] = await mix([voice, music], {
      duck: true,
      tracks: [{ role: 'voice' }, { role: 'music' }],
    });
    for (const from of [3, 12]) {
      const [said, played] = [left, right].map((plane) => lufsOf(slice(plane, rate, from, from + 5)));
      expect((said as number) - (played as number), `at ${from} s`).toBeGreaterThanOrEqual(10);
    }
    expect(result['musicUnderVoiceLu']).toBeGreaterThanOrEqual(10);
    expect(result['duckDepthDb']).toBeGreaterThanOrEqual(12);
    // Nothing is taken from the music while nobody speaks, beyond what the whole mix gets.
    const { gainDb } = result as { gainDb: number };
    expect(lufsOf(slice(right, rate, 0.2, 2.2))).toBeGreaterThan(scene.music + gainDb - 4);
  });

  it('follows the volumes', slow, async (context) => {
    needFfmpeg(context);
    const voice = wav('voice.wav', speaking(-20, -20), 'left');
    const music = wav('music.wav', atLufs(chords(20 * rate, rate, -20), -30), 'right');
    const [left, right] = await mix([voice, music], {
      duck: true,
      tracks: [
        { role: 'voice', volume_db: -6 },
        { role: 'music', volume_db: 15 },
      ],
    });
    expect(lufsOf(slice(left, rate, 3, 8)) - lufsOf(slice(right, rate, 3, 8))).toBeGreaterThanOrEqual(10);
  });
});

describe('voices', () => {
  const voices = (first: number, second: number): string[] => {
    // They speak one after the other, as in a conversation, each in a room with noise 40 dB under the voice.
    const host = noise(16 * rate, 5, fromDb(first - 40));
    for (const [i, x] of atLufs(slice(reader, rate, 0, 6), first).entries())
      host[rate + i] = (host[rate + i] as number) + x;
    const guest = noise(16 * rate, 6, fromDb(second - 40));
    for (const [i, x] of atLufs(slice(president, rate, 0, 6), second).entries())
      guest[9 * rate + i] = (guest[9 * rate + i] as number) + x;
    return [wav('host.wav', host, 'left'), wav('guest.wav', guest, 'right')];
  };

  it.for([
    { levels: [-16, -34], volumes: [0, 0] },
    { levels: [-52, -20], volumes: [0, 0] },
    { levels: [-16, -34], volumes: [0, -6] },
  ] as const)('of $levels LUFS stand $volumes dB beside each other', slow, async ({ levels, volumes }, context) => {
    needFfmpeg(context);
    const [left, right, { result }] = await mix(voices(levels[0], levels[1]), {
      tracks: volumes.map((volume_db) => ({ volume_db })),
      target: 'broadcast',
    });
    const [host, guest] = [lufsOf(slice(left, rate, 1, 7)), lufsOf(slice(right, rate, 9, 15))];
    expect(Math.abs(host - guest - (volumes[0] - volumes[1]))).toBeLessThan(1);
    const tracks = result['tracks'] as { matchDb: number; gainDb: number; volumeDb: number }[];
    const [one, other] = tracks.map(({ matchDb }) => matchDb) as [number, number];
    expect(Math.abs(one - other - (levels[1] - levels[0]))).toBeLessThan(1);
    for (const { matchDb, gainDb, volumeDb } of tracks)
      expect(gainDb).toBeCloseTo(matchDb + volumeDb + (result['gainDb'] as number), 1);
  });

  it('are not matched with a track on which nobody speaks, nor with music and effects', slow, async () => {
    const [host, , { result }] = await mix(
      [voices(-20, -20)[0] as string, wav('room.wav', noise(16 * rate, 7, 0.001), 'right')],
      {},
    );
    expect(host.length).toBe(16 * rate);
    expect(result['tracks']).toMatchObject([{ matchDb: 0 }, { matchDb: null }]);
    const [, , other] = await mix(voices(-16, -34), { tracks: [{ role: 'voice' }, { role: 'effects' }] });
    expect(other.result['tracks']).toMatchObject([{ gainDb: other.result['gainDb'] }, { matchDb: null }]);
  });
});
