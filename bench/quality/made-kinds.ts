// The kinds of made-cases.ts: how a case is made, what is measured, and what holds.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probe } from '../../src/library/media/read/probe.ts';
import { adjustLoudness } from '../../src/library/tools/adjust_loudness/tool.ts';
import { enhanceVoice } from '../../src/library/tools/enhance_voice/tool.ts';
import { removeNoise } from '../../src/library/tools/remove_noise/tool.ts';
import { readAll } from '../../test/fixtures/media/media.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { runTool, type ToolRun } from '../../test/fixtures/media/run-context.ts';
import { liftsOf, phrases, rate, scene } from '../tools/bed-scenes.ts';
import { ownOverOthers } from '../tools/bleed-grid.ts';
import { deepFilterNetFolder, plain } from './engines.ts';
import type { Drawn } from './made-material.ts';
import { siSdr } from './measures.ts';
import { mix } from './mixtures.ts';
import { otherNoises } from './other-noises.ts';
import { resampled } from './voice-cases.ts';

export const scratch = mkdtempSync(join(tmpdir(), 'earshot-made-'));

interface Case {
  readonly made: string;
  readonly cameOut: string;
  readonly holds: boolean;
}
export type Kind = (drawn: Drawn) => Promise<Case>;

const decibels = (plane: Float32Array): number =>
  10 * Math.log10(plane.reduce((sum, x) => sum + x * x, 1e-12) / plane.length);
const at = (plane: Float32Array, dbfs: number): Float32Array => {
  const gain = 10 ** ((dbfs - decibels(plane)) / 20);
  return plane.map((x) => Math.max(-1, Math.min(1, gain * x)));
};
/** Again and again, until it is so long. */
const looped = (plane: Float32Array, length: number): Float32Array =>
  Float32Array.from({ length }, (_, index) => plane[index % plane.length] as number);

type SoundTool = typeof removeNoise | typeof enhanceVoice;
/** @param options by default without auto volume, so that levels can be compared */
const cleaned = (tool: SoundTool, plane: Float32Array, options: object = { auto_volume: false }): Promise<ToolRun> =>
  runTool(
    tool as typeof removeNoise,
    writeWav(join(scratch, 'in.wav'), [plane], rate, 'f32'),
    options,
    join(scratch, 'out-'),
  );
const planeOf = ({ path }: ToolRun): Float32Array => readAll(path).planes[0] as Float32Array;
/** What remove_noise says of a recording without a voice, and what `master` takes for music then. */
const voiceless = ['no_voice', 'only_noise', 'silent', 'too_short'];
const isVoiceless = ({ warnings }: ToolRun): boolean => warnings.some(({ code }) => voiceless.includes(code));

let network: Promise<(plane: Float32Array) => Promise<Float32Array>> | null = null;
async function openNetwork(): Promise<(plane: Float32Array) => Promise<Float32Array>> {
  const folder = await deepFilterNetFolder();
  const clean = await plain(folder === null ? 'rnnoise' : 'deepfilternet3', folder ?? undefined);
  return (plane) => clean(plane, 0);
}

const gained = (after: Float32Array, before: Float32Array, voice: Float32Array): number =>
  siSdr(after, voice) - siSdr(before, voice);
const shown = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(' ');

const beds: Kind = async (drawn) => {
  const [voice, music] = [drawn.sound('voices', 40), drawn.sound('music', 40)];
  const levelDbfs = Math.round(drawn.between(-46, -35));
  const lifts = await liftsOf(scene(phrases(voice.plane), music.plane, levelDbfs), 'bed');
  return {
    made: `${music.name} at ${levelDbfs} dBFS behind ${voice.name}`,
    cameOut: `pauses lifted by ${shown(lifts)} dB more than the voice`,
    holds: lifts.every((lift) => lift <= 3),
  };
};

const bleed: Kind = (drawn) => {
  const microphones = 2 + Math.floor(drawn.random() * 3);
  const voices = Array.from({ length: microphones }, () => resampled(drawn.sound('voices', 30).plane, rate, 16_000));
  const plan = {
    roomSeconds: drawn.between(0.2, 1.2),
    metres: drawn.between(1, 3),
    bleedDb: drawn.between(-26, -6),
    room: [drawn.between(4, 9), drawn.between(3, 6), drawn.between(2.4, 3.4)] as const,
    seconds: 40,
    seed: Math.floor(drawn.between(1, 1e6)),
    voicesDb: voices.map(() => drawn.between(-8, 0)),
  };
  const { before, after } = ownOverOthers(voices, plan);
  return Promise.resolve({
    made:
      `${microphones} microphones, RT ${plan.roomSeconds.toFixed(2)} s, ${plan.metres.toFixed(1)} m, ` +
      `bleed ${plan.bleedDb.toFixed(0)} dB`,
    cameOut: `own minus bleed ${shown(before)} to ${shown(after)} dB`,
    holds: after.every((db, own) => db >= (before[own] as number) - 0.3),
  });
};

const roles: Kind = async (drawn) => {
  const from = drawn.random() < 0.3 ? 'voices' : 'music';
  const { name, plane } = drawn.sound(from, 15);
  const sound = from === 'music' ? looped(plane, 15 * rate) : plane;
  const without = isVoiceless(await cleaned(removeNoise, at(sound, drawn.between(-30, -18)), {}));
  return { made: name, cameOut: without ? 'music' : 'a person', holds: without === (from === 'music') };
};

const louder: Kind = async (drawn) => {
  const { name, plane } = drawn.sound('voices', 20);
  const input = writeWav(join(scratch, 'in.wav'), [at(plane, drawn.between(-34, -20))], rate, 'f32');
  const asked = [-14, -12, -10, -9];
  const got: number[] = [];
  let peak = -99;
  for (const custom_lufs of asked) {
    const options = { target: 'custom', custom_lufs, output_format: 'm4a' };
    const run = await runTool(adjustLoudness, input, options, join(scratch, 'out-'));
    const { output } = run.result as unknown as { output: { integratedLufs: number; truePeakDbtp: number } };
    got.push(output.integratedLufs);
    peak = Math.max(peak, output.truePeakDbtp);
  }
  return {
    made: `${name} to M4A at ${asked.join(', ')} LUFS`,
    cameOut: `${shown(got)} LUFS, peaks at most ${peak.toFixed(2)} dBTP`,
    holds: peak <= -0.95 && got.every((lufs, index) => index === 0 || lufs >= (got[index - 1] as number) - 0.1),
  };
};

const animals: Kind = async (drawn) => {
  const [voice, animal] = [drawn.sound('voices', 12), drawn.sound('animals', 12)];
  const snrDb = drawn.between(0, 10);
  const spoilt = mix(voice.plane, looped(animal.plane, voice.plane.length), snrDb);
  const ours = gained(planeOf(await cleaned(removeNoise, spoilt)), spoilt, voice.plane);
  const clean = await (network ??= openNetwork());
  const theirs = gained(await clean(spoilt), spoilt, voice.plane);
  return {
    made: `${animal.name} ${snrDb.toFixed(0)} dB under ${voice.name}`,
    cameOut: `${ours.toFixed(1)} dB better, the plain network ${theirs.toFixed(1)}`,
    holds: ours >= Math.min(7.3, theirs - 3),
  };
};

const faint: Kind = async (drawn) => {
  const [voice, music] = [drawn.sound('voices', 12), drawn.sound('music', 12)];
  const [noiseName, noise] = Object.entries(otherNoises)[
    Math.floor(drawn.random() * Object.keys(otherNoises).length)
  ] as [string, (frames: number) => Float32Array];
  const { length } = voice.plane;
  const under = drawn.between(0, 8);
  const spoilt = mix(voice.plane, mix(noise(length), looped(music.plane, length), under), drawn.between(5, 12));
  const [quieter, enhanced] = [await cleaned(removeNoise, spoilt), await cleaned(enhanceVoice, spoilt)];
  const [removed, ours] = [quieter, enhanced].map((run) => gained(planeOf(run), spoilt, voice.plane)) as [
    number,
    number,
  ];
  const { found } = enhanced.result as unknown as { found: { noiseSuppression: number } };
  return {
    made: `${noiseName} with ${music.name} ${under.toFixed(0)} dB under it, behind ${voice.name}`,
    cameOut:
      `enhance_voice ${ours.toFixed(1)} dB better, says ${found.noiseSuppression}; ` +
      `remove_noise ${removed.toFixed(1)} dB`,
    holds: ours >= removed / 2 || (removed < 1 && found.noiseSuppression < 0.5),
  };
};

const strokes: Kind = async (drawn) => {
  const { name, plane } = drawn.sound('strokes', 12);
  const sound = at(looped(plane, 12 * rate), drawn.between(-30, -20));
  const run = await cleaned(removeNoise, sound);
  const changeDb = decibels(planeOf(run)) - decibels(sound);
  return {
    made: name,
    cameOut: `${changeDb.toFixed(1)} dB (${run.warnings.map(({ code }) => code).join(', ')})`,
    holds: Math.abs(changeDb) <= 1.5,
  };
};

const heads: Kind = (drawn) => {
  const kind = (['s16', 's24', 's32', 'f32'] as const)[Math.floor(drawn.random() * 4)] as 's16' | 's24' | 's32' | 'f32';
  const sampleRate = [22_050, 44_100, 48_000, 96_000, 192_000][Math.floor(drawn.random() * 5)] as number;
  const hertz = drawn.random() < 0.5 ? 1000 * Math.ceil(9 * drawn.random()) : drawn.between(100, 10_000);
  const plane = Float32Array.from({ length: 4 * sampleRate }, (_, i) =>
    Math.sin((2 * Math.PI * hertz * i) / sampleRate),
  );
  // Without its extension: the bytes alone say what it is.
  const path = join(scratch, 'head');
  writeFileSync(path, '');
  const facts = probe(writeWav(path, [at(plane, drawn.between(-20, -3))], sampleRate, kind));
  return Promise.resolve({
    made: `${hertz.toFixed(0)} Hz, ${kind}, ${sampleRate} Hz`,
    cameOut: facts.format,
    holds: facts.format === 'wav',
  });
};

export const kinds: Readonly<Record<string, Kind>> = {
  beds,
  bleed,
  roles,
  louder,
  barks: animals,
  faint,
  strokes,
  heads,
};
