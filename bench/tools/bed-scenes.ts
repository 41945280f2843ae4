// Talk with something behind it, for what level_speakers makes of its pauses: level-beds.ts and
// quality/made-cases.ts.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { levelSpeakers } from '../../src/library/tools/level_speakers/tool.ts';
import { readAll } from '../../test/fixtures/media/media.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { runWith } from '../../test/library/dsp/tool-run.ts';
import { levelsOf } from './level-talks.ts';
import { integratedOfHops } from '../../src/library/dsp/voicing/hop-loudness.ts';

export const rate = 48_000;
const scratch = mkdtempSync(join(tmpdir(), 'earshot-beds-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));

/**
 * The beginning of a file, in mono at 48 kHz.
 * @param filter of FFmpeg, before anything else; default: none
 */
export function monoOf(path: string, seconds = 60, filter = 'anull'): Float32Array {
  const form = ['-f', 'f32le', '-ac', '1', '-ar', String(rate), '-'];
  const args = ['-v', 'error', '-i', path, '-t', String(seconds), '-af', filter, ...form];
  const bytes = execFileSync('ffmpeg', args, { maxBuffer: 1e9 });
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
const rmsOf = (plane: Float32Array): number => Math.sqrt(plane.reduce((sum, x) => sum + x * x, 0) / plane.length);
const db = (value: number): number => 20 * Math.log10(Math.max(1e-9, value));
const at = (plane: Float32Array, gainDb: number): Float32Array => plane.map((x) => x * 10 ** (gainDb / 20));

/** Stretches of a voice of 1.5 to 4 s between its own pauses, at -23 LUFS. */
export function phrases(samples: Float32Array): Float32Array[] {
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

export interface Scene {
  /** Is the second voice on a track of its own? */
  readonly onTracks: boolean;
  readonly sound: Float32Array;
  /** Every second phrase alone. */
  readonly second: Float32Array;
  /** Samples: where a pause is, and the phrase before it. */
  readonly pauses: readonly { from: number; to: number; before: number }[];
}

/**
 * Eight phrases, every second one 6 dB softer, with pauses of 0.6, 1 and 1.5 s.
 * @param levelDbfs RMS level of what is behind, all along or in the pauses alone
 */
export function scene(
  voice: readonly Float32Array[],
  behind: Float32Array,
  levelDbfs: number,
  { inPausesOnly = false, onTracks = false } = {},
): Scene {
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
  return { onTracks, sound, second, pauses };
}

/** How much further each pause is lifted than the louder-made of the phrases beside it, dB. */
export async function liftsOf({ onTracks, sound, second, pauses }: Scene, name: string): Promise<number[]> {
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
