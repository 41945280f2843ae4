// @module-tag slow
// remove_noise with voice, room and music as levels of their own, and with steady noise alone.
import { describe, expect, it } from 'vitest';
import { packageFolder } from '../../../../src/library/models/folders.ts';
import { removeNoise } from '../../../../src/library/tools/remove_noise/tool.ts';
import { readAll, scratch } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { runTool } from '../../../fixtures/media/run-context.ts';
import { make, maxAbs, noise, rms, toDb } from '../../../fixtures/media/signals.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { pieces } from '../../../fixtures/sounds/music.ts';
import { slower } from '../../../fixtures/rounds.ts';

const at = scratch();
const rate = 48_000;
/** Where the default weights lie, which tell music from voices best. */
const house = packageFolder({}) ?? undefined;
process.env['EARSHOT_MODELS_PACKAGE'] = '';
const noModels = at('no-models');

async function run(plane: Float32Array, options: object, modelsDir: string | undefined = noModels) {
  writeWav(at('in.wav'), [plane], rate, 'f32');
  const given = { auto_volume: false, ...options };
  const done = await runTool(removeNoise, at('in.wav'), given, at('work-'), undefined, modelsDir);
  return { ...done, out: readAll(done.path, { rate, channels: 1 }).planes[0] as Float32Array };
}

const speech = (frames: number): Float32Array => {
  const [said] = readAll(recording('clean_speech_48k.wav'), { rate, channels: 1 }).planes as [Float32Array];
  return make(frames, (i) => said[i % said.length] as number);
};

describe('levels', () => {
  const frames = 16 * rate;
  const song = (pieces['rock'] as (length: number) => Float32Array)(8);
  const said = speech(frames);
  const hiss = noise(frames, 3, 0.004);
  /** Six seconds of a voice in noise, then music. */
  const show = make(frames, (i) =>
    i < 6 * rate ? said[i]! + hiss[i]! : i < 14 * rate ? song[i - 6 * rate]! * 0.5 : hiss[i]!,
  );
  const part = (plane: Float32Array, from: number, to: number): Float32Array => plane.subarray(from * rate, to * rate);

  it('change the voice, what is beside it, and music, each by what is asked', slower, async () => {
    const { out: usual } = await run(show, {}, house);
    const { out, result } = await run(show, { voice_db: 3, music_db: -8 }, house);
    expect(Math.abs(toDb(rms(part(out, 1, 5)) / rms(part(usual, 1, 5))) - 3)).toBeLessThan(0.1);
    expect(Math.abs(toDb(rms(part(out, 8, 12)) / rms(part(show, 8, 12))) + 8)).toBeLessThan(0.2);
    expect(result['noiseReduction']).toBe(100);
    // 0 dB of everything is the recording, but for the way to 24 bits and back.
    const { out: same } = await run(show, { room_db: 0, voice_db: 0.001 });
    expect(maxAbs(part(same, 1, 5).map((x, i) => x - part(show, 1, 5)[i]!))).toBeLessThan(2e-4);
    const { out: halved } = await run(show, { room_db: -6.0206, music_db: -0.001 });
    const { out: percent, result: same50 } = await run(show, { noise_reduction: 50 });
    expect(
      toDb(rms(part(halved, 1, 5).map((x, i) => x - part(percent, 1, 5)[i]!)) / rms(part(percent, 1, 5))),
    ).toBeLessThan(-45);
    expect(same50['noiseReduction']).toBe(50);
  });

  it('are refused where they say the same twice, or have nothing to work on', async () => {
    await expect(run(said, { noise_reduction: 50, room_db: -10 })).rejects.toMatchObject({
      code: 'bad_request',
      message: 'Expected either noise_reduction or room_db but received both: each says how much of the room stays',
    });
    await expect(run(said, { method: 'steady', music_db: -3 })).rejects.toMatchObject({
      code: 'bad_request',
      message: 'Expected method voice with music_db but it is steady, which tells neither voices nor music apart',
    });
  });
});

describe('steady noise alone', () => {
  const frames = 12 * rate;

  it('goes, and what comes and goes stays; the result says how loud it was', async () => {
    const hiss = noise(frames, 5, 0.01);
    // A dog at 3, 6 and 9 seconds, in a recording without a voice.
    const dog = make(frames, (i) => {
      const since = (i / rate) % 3;
      return i > 2.5 * rate && since < 0.2
        ? 0.2 * Math.sin(2 * Math.PI * 600 * since) * Math.sin(Math.PI * 5 * since)
        : 0;
    });
    const { out, result, warnings } = await run(
      make(frames, (i) => hiss[i]! + dog[i]!),
      { method: 'steady' },
    );
    expect(result).toMatchObject({ engine: 'steady-noise', noiseReduction: 100 });
    expect(Math.abs(Number(result['steadyNoiseDbfs']) - toDb(rms(hiss)))).toBeLessThan(0.7);
    const bark = (plane: Float32Array): Float32Array => plane.subarray(6 * rate, 6.2 * rate);
    expect(Math.abs(toDb(rms(bark(out)) / rms(bark(dog))))).toBeLessThan(0.5);
    expect(toDb(rms(out.subarray(4 * rate, 5.5 * rate)) / rms(hiss))).toBeLessThan(-17);
    expect(out).toHaveLength(frames);
    expect(warnings.map(({ code }) => code)).toEqual(['steady_sound_loud']);
    const { out: half } = await run(hiss, { method: 'steady', noise_reduction: 50 });
    expect(Math.abs(toDb(rms(half) / rms(hiss)) + 6)).toBeLessThan(0.3);
  });

  it('is said where there is none, and where music may be taken for it', slower, async () => {
    const soft = noise(frames, 6, 1e-5);
    const beeps = make(frames, (i) => soft[i]! + (i % rate < 0.2 * rate ? 0.1 * Math.sin(0.05 * i) : 0));
    const none = await run(beeps, { method: 'steady' });
    expect(none.warnings.map(({ code }) => code)).toEqual(['no_steady_noise']);
    const music = await run((pieces['pop'] as (seconds: number) => Float32Array)(12), { method: 'steady' });
    expect(music.warnings.map(({ code }) => code)).toEqual(['steady_sound_loud']);
  });
});
