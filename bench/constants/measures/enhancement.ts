// What enhance_voice makes of voices that were spoilt by script, against the voices as they were
// (bench/quality/voice.ts), of music and of a whisper. The noise suppressor's network answers from the store.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { enhanceVoice } from '../../../src/library/tools/enhance_voice/tool.ts';
import { writeWav } from '../../../test/fixtures/media/pcm-files.ts';
import { readAll } from '../../../test/fixtures/media/media.ts';
import { runTool } from '../../../test/fixtures/media/run-context.ts';
import { pieces } from '../../../test/fixtures/sounds/music.ts';
import { whisper } from '../../../test/fixtures/sounds/revoice.ts';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { lostVoice } from '../../quality/lost-voice.ts';
import { logSpectralDistance } from '../../quality/measures.ts';
import { mix, noises, rate, sample } from '../../quality/mixtures.ts';
import { convolve, filtered, inRange, room, telephone } from '../../quality/voice-cases.ts';
import { figure, type Measure } from '../figures.ts';
import { folderFor } from '../store.ts';

const seconds = 5;
const levelOf = (plane: Float32Array): number =>
  10 * Math.log10(plane.reduce((sum, x) => sum + x * x, 0) / plane.length + 1e-20);
const atLevel = (plane: Float32Array, dbfs: number): Float32Array => {
  const gain = 10 ** ((dbfs - levelOf(plane)) / 20);
  return plane.map((x) => x * gain);
};

interface Case {
  readonly name: string;
  readonly rate?: number;
  /** What it was spoilt from. */
  readonly voice: () => Float32Array;
  readonly spoil: (voice: Float32Array) => Float32Array;
  /** What is beside the voice is meant, and stays (decision 18): the output is held against what came in. */
  readonly isWanted?: boolean;
}

const once = <Value>(make: () => Value): (() => Value) => {
  let made: Value | undefined;
  return () => (made ??= make());
};
const clean = once(() => sample('noise/clean_speech_48k.wav').slice(0, seconds * rate));
const sonnet = once(() => sample('speech/sonnet001.mp3').slice(5 * rate, (5 + seconds) * rate));
const pink = (frames: number): Float32Array => (noises['pink'] as (count: number) => Float32Array)(frames);
const music = (name: string): Float32Array => (pieces[name] as (length: number) => Float32Array)(seconds);

const cases: readonly Case[] = [
  { name: 'as it is', voice: clean, spoil: (voice) => voice },
  { name: 'in a room', voice: sonnet, spoil: (voice) => inRange(convolve(voice, room(0.8, 0, 7))) },
  { name: 'through a telephone', rate: 8000, voice: sonnet, spoil: telephone },
  { name: 'dull', voice: sonnet, spoil: (voice) => filtered(voice, (hz) => 1 / (1 + (hz / 2000) ** 2)) },
  {
    name: 'sharp',
    voice: clean,
    spoil: (voice) => inRange(filtered(voice, (hz) => 1 + 3 / (1 + (5000 / Math.max(1, hz)) ** 8))),
  },
  { name: 'in noise', voice: clean, spoil: (voice) => inRange(mix(voice, pink(voice.length), 10)) },
  { name: 'over music', voice: clean, spoil: (voice) => inRange(mix(voice, music('pads'), 10)), isWanted: true },
];
/** Without a reference: what must stay as it is. */
const kept: readonly Case[] = [
  { name: 'music', voice: () => atLevel(music('pop'), -20), spoil: (plane) => plane },
  { name: 'whisper', voice: () => atLevel(whisper(clean()), -30), spoil: (plane) => plane },
];

function spoilt({ name, rate: own = rate, voice, spoil }: Case): string {
  const path = join(folderFor('enhancement'), `${name.replaceAll(' ', '-')}.wav`);
  if (!existsSync(path)) writeWav(path, [spoil(voice())], own, 'f32');
  return path;
}

const read = (path: string): Float32Array => readAll(path, { rate, channels: 1 }).planes[0] as Float32Array;

async function enhanced(path: string): Promise<Float32Array> {
  const prefix = `${temporaryFolder('earshot-constants-')}/`;
  return read((await runTool(enhanceVoice, path, { auto_volume: false }, prefix)).path);
}

export const measure: Measure = async () => {
  const distances: [name: string, distance: number][] = [];
  let lost = 0;
  for (const one of cases) {
    const path = spoilt(one);
    const voice = one.voice();
    const wanted = one.isWanted === true ? read(path) : voice;
    const out = (await enhanced(path)).slice(0, voice.length);
    const name = one.isWanted === true ? `what came in, ${one.name}` : `the voice, ${one.name}`;
    distances.push([name, logSpectralDistance(atLevel(out, levelOf(wanted)), wanted)]);
    const like = atLevel(out, levelOf(voice));
    if (one.rate === undefined) lost += lostVoice(like, voice).levelDb;
  }
  const changes: [name: string, change: number][] = [];
  for (const one of kept) {
    const path = spoilt(one);
    changes.push([one.name, levelOf(await enhanced(path)) - levelOf(read(path))]);
  }
  return [
    ...distances.map(([name, distance]) => figure(`distance from ${name}`, distance, 'dB', 'lower', 2)),
    figure('voice kept, sum', lost, 'dB', 'higher', 2),
    ...changes.map(([name, change]) => figure(`level of ${name}`, change, 'dB', 'higher', 2)),
  ];
};
