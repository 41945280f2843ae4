// How much further level_speakers lifts what runs on under the talk, in the talk's pauses, than the voices beside them.
//     node bench/tools/level-beds.ts [--music=FOLDER] [--only=REGEXP] [--tracks]
// Voices of test/recordings at -23 LUFS with pauses of 0.6, 1.0 and 1.5 s, every second one 6 dB softer; behind them
// music (files of a folder, or pieces by script) and noises at -36 and -45 dBFS RMS, or a far voice in the pauses
// alone, which is to be lifted. A row is the worst and the mean lift of a pause over the louder-made of the phrases
// beside it, in dB, and how many are over 3.// With --tracks every second phrase is on a second track, and what is
// behind is on the first one alone.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { levelSpeakers } from '../../src/library/tools/level_speakers/tool.ts';
import { readAll } from '../../test/fixtures/media/media.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { recording } from '../../test/fixtures/recordings.ts';
import { pieces } from '../../test/fixtures/sounds/music.ts';
import { otherPieces } from '../../test/fixtures/sounds/second-band.ts';
import { runWith } from '../../test/library/dsp/tool-run.ts';
import { levelsOf } from './level-talks.ts';
import { integratedOfHops } from '../../src/library/dsp/voicing/hop-loudness.ts';

const rate = 48_000;
const flag = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const onTracks = process.argv.includes('--tracks');
const scratch = mkdtempSync(join(tmpdir(), 'earshot-beds-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));

function monoOf(path: string, seconds = 60): Float32Array {
  const args = ['-v', 'error', '-i', path, '-t', String(seconds), '-f', 'f32le', '-ac', '1', '-ar', String(rate), '-'];
  const bytes = execFileSync('ffmpeg', args, { maxBuffer: 1e9 });
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
const rmsOf = (plane: Float32Array): number => Math.sqrt(plane.reduce((sum, x) => sum + x * x, 0) / plane.length);
const db = (value: number): number => 20 * Math.log10(Math.max(1e-9, value));
const at = (plane: Float32Array, gainDb: number): Float32Array => plane.map((x) => x * 10 ** (gainDb / 20));

/** Stretches of a voice of 1.5 to 4 s between its own pauses, at -23 LUFS. */
function phrases(samples: Float32Array): Float32Array[] {
  const levels = levelsOf({ samples, rate });
  const gainDb = -23 - (integratedOfHops(levels.energy, levels.hopSeconds, null) ?? -23);
  const hop = rate / 50;
  const loud = Array.from({ length: Math.floor(samples.length / hop) }, (_, index) =>
    db(rmsOf(samples.subarray(index * hop, (index + 1) * hop))),
  );
  const isSpoken = loud.map((_, index) => Math.max(...loud.slice(Math.max(0, index - 4), index + 5)) > -45 - gainDb);
  const found: Float32Array[] = [];
  let from = -1;
  for (const [index, spoken] of [...isSpoken, false].entries()) {
    if (spoken && from < 0) from = index;
    const seconds = (index - from) / 50;
    if (from < 0 || (spoken && seconds < 4)) continue;
    if (seconds >= 1.5) found.push(at(samples.slice(from * hop, index * hop), gainDb));
    from = -1;
  }
  return found;
}

interface Scene {
  readonly sound: Float32Array;
  /** Every second phrase alone. */
  readonly second: Float32Array;
  /** Samples: where a pause is, and the phrase before it. */
  readonly pauses: readonly { from: number; to: number; before: number }[];
}

function scene(voice: readonly Float32Array[], behind: Float32Array, levelDbfs: number, inPausesOnly: boolean): Scene {
  const parts: Float32Array[] = [];
  const pauses: { from: number; to: number; before: number }[] = [];
  let length = 0;
  for (const [index, phrase] of voice.slice(0, 8).entries()) {
    const said = at(phrase, index % 2 === 1 ? -6 : 0);
    const before = length;
    parts.push(said);
    length += said.length;
    const pause = new Float32Array(Math.round(([0.6, 1, 1.5][index % 3] as number) * rate));
    pauses.push({ from: length, to: length + pause.length, before });
    parts.push(pause);
    length += pause.length;
  }
  const sound = new Float32Array(length);
  const second = new Float32Array(length);
  let place = 0;
  for (const [index, part] of parts.entries()) {
    (onTracks && index % 4 === 2 ? second : sound).set(part, place);
    place += part.length;
  }
  const bed = at(behind, levelDbfs - db(rmsOf(behind)));
  const random = seeded(7);
  if (inPausesOnly)
    for (const { from, to } of pauses) for (let i = from; i < to; i += 1) sound[i] = bed[i % bed.length]!;
  else for (let i = 0; i < length; i += 1) sound[i] = sound[i]! + bed[i % bed.length]!;
  for (let i = 0; i < length; i += 1) sound[i] = sound[i]! + 2e-5 * (random() - 0.5);
  return { sound, second, pauses };
}

async function liftsOf({ sound, second, pauses }: Scene, name: string): Promise<number[]> {
  const path = writeWav(join(scratch, `${name}.wav`), [sound], rate);
  const tracks = onTracks ? [path, writeWav(join(scratch, `${name}-second.wav`), [second], rate)] : [];
  const files = { file_id: onTracks ? [] : [path], track_file_ids: tracks };
  const { outputs } = await runWith(levelSpeakers, files, {}, join(scratch, 'run-'));
  const out = readAll(outputs[0]?.path ?? '').planes[0] as Float32Array;
  for (const output of outputs) rmSync(output.path);
  const gain = (from: number, to: number): number =>
    db(rmsOf(out.subarray(from, to))) - db(rmsOf(sound.subarray(from, to)));
  const edge = Math.round(0.15 * rate);
  return pauses.flatMap(({ from, to, before }, index) => {
    const after = pauses[index + 1];
    const beside = [gain(before + edge, from - edge), ...(after ? [gain(to + edge, after.from - edge)] : [])];
    // On tracks one of the two phrases beside a pause is on the other one.
    const own = onTracks ? beside.filter((_, next) => (index + next) % 2 === 0) : beside;
    return own.length === 0 ? [] : [gain(from + edge, to - edge) - Math.max(...own)];
  });
}

const voices = (['jfk.wav', 'austen-0870.wav', 'acoustic_corpus.wav', 'clean_speech_48k.wav'] as const).map((name) =>
  phrases(monoOf(recording(name))),
);
const hiss = (seed: number): Float32Array => {
  const random = seeded(seed);
  return Float32Array.from({ length: 20 * rate }, () => random() - 0.5);
};
const musicFolder = flag('music');
const music: Record<string, () => Float32Array> =
  musicFolder === undefined
    ? Object.fromEntries(Object.entries({ ...pieces, ...otherPieces }).map(([name, make]) => [name, () => make(40)]))
    : Object.fromEntries(
        readdirSync(musicFolder).map((name) => [basename(name), () => monoOf(join(musicFolder, name), 40)]),
      );
const behind: Record<string, () => Float32Array> = {
  ...music,
  'white noise': () => hiss(3),
  'a far voice': () => monoOf(recording('sonnet001.mp3')).subarray(5 * rate),
};
const only = new RegExp(flag('only') ?? '', 'u');
console.log('| behind | level, dBFS | worst lift, dB | mean lift, dB | over 3 dB |\n|---|---|---|---|---|');
for (const [name, make] of Object.entries(behind)) {
  if (!only.test(name)) continue;
  const plane = make();
  for (const levelDbfs of [-36, -45]) {
    const lifts: number[] = [];
    for (const [index, voice] of voices.entries())
      lifts.push(...(await liftsOf(scene(voice, plane, levelDbfs, name === 'a far voice'), `scene-${index}`)));
    const mean = lifts.reduce((sum, lift) => sum + lift, 0) / lifts.length;
    console.log(
      `| ${name} | ${levelDbfs} | ${Math.max(...lifts).toFixed(1)} | ${mean.toFixed(1)} | ` +
        `${lifts.filter((lift) => lift > 3).length} of ${lifts.length} |`,
    );
  }
}
