// `sync` beside audio-offset-finder, syncstart and audalign, on the same pairs of files.
//   npm run bench:sync:peers -- --venv FOLDER [--seed 71 --seconds 150]
// FOLDER is a Python environment with the three (pip install audio-offset-finder syncstart audalign). None of them says
// how far clocks drift apart, so each is judged by its best second: the least it is off anywhere in the recording.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AlignRecordingsResult } from '../../src/library/tools/align_recordings/result.ts';
import { alignRecordings } from '../../src/library/tools/align_recordings/tool.ts';
import { wavBytes } from '../../test/fixtures/media/pcm-files.ts';
import { recording } from '../../test/fixtures/recordings.ts';
import { runWith } from '../../test/library/dsp/tool-run.ts';
import { coded, phrasesOf, rate, type Recording, truthAt } from './rooms.ts';
import { roomOf } from './three.ts';
import { unlikePair } from './unlike.ts';

const { values: given } = parseArgs({
  options: {
    venv: { type: 'string' },
    seed: { type: 'string', default: '71' },
    seconds: { type: 'string', default: '150' },
  },
});
if (given.venv === undefined) throw new Error('Expected --venv FOLDER: a Python environment with the three');
const python = join(given.venv, 'bin', 'python');
const [seed, seconds] = [given.seed, given.seconds].map(Number) as [number, number];
const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-sync-'));
const voices = ['um.flac', 'sonnet001.mp3', 'austen-0870.wav', 'clean_speech_48k.wav', 'jfk.wav'] as const;
const phrases = phrasesOf(voices.map((name) => recording(name)));

interface Pair {
  readonly name: string;
  readonly one: Recording;
  readonly other: Recording;
  readonly related: boolean;
}

function* pairs(): Generator<Pair> {
  for (let index = 0; index < 3; index += 1) {
    const { say, recordings } = roomOf(seed, index, seconds, phrases);
    const [one, two, far] = recordings as [Recording, Recording, Recording];
    yield { name: `own microphones, ${say}`, one, other: two, related: true };
    yield { name: `own and recorder, ${say}`, one, other: far, related: true };
    if (index > 0) continue;
    const sound = coded(folder, far.sound, 'opus', ['-c:a', 'libopus', '-b:a', '24k']);
    yield { name: 'own and Opus of the recorder', one, other: { ...far, sound }, related: true };
  }
  for (let index = 0; index < 5; index += 1) {
    const { kind, one, other } = unlikePair(seed, index, phrases, seconds);
    yield { name: kind, one, other, related: false };
  }
}

/** By pair, where second 0 of the first is in the second by each peer, seconds; null: nothing that it trusts. */
function byPeers(paths: readonly (readonly [string, string])[]): readonly Readonly<Record<string, number | null>>[] {
  const script = join(import.meta.dirname, 'peers.py');
  const { status, stdout, stderr } = spawnSync(python, [script, ...paths.flat()], {
    encoding: 'utf8',
    env: { ...process.env, MPLBACKEND: 'Agg' },
  });
  if (status !== 0) throw new Error(`Expected the peers to run but received: ${stderr}`);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, number | null>);
}

/** How far a place is off, ms: everywhere, or at its best second. */
function off(pair: Pair, placeAt: (second: number) => number, all: boolean): string {
  const misses: number[] = [];
  for (let at = 1; at < pair.one.sound.length / rate - 2; at += 1) {
    const truth = truthAt(pair.one, pair.other, at);
    if (truth !== null) misses.push(Math.abs(placeAt(at) - truth) * 1000);
  }
  return (all ? Math.max(...misses) : Math.min(...misses)).toFixed(2);
}

const said = (pair: Pair, place: ((second: number) => number) | null, all: boolean): string => {
  if (place === null) return pair.related ? 'refused' : 'refused, rightly';
  return pair.related ? off(pair, place, all) : '**taken**';
};

const all = [...pairs()].map((pair, index) => {
  const paths = [pair.one, pair.other].map(({ sound }, at) => {
    const path = join(folder, `${index}-${at}.wav`);
    writeFileSync(path, wavBytes([sound], rate, 's16'));
    return path;
  }) as [string, string];
  return { pair, paths };
});
const others = byPeers(all.map(({ paths }) => paths));
const names = Object.keys(others[0] ?? {});
console.log(`| pair | earshot: most, ms | ${names.map((name) => `${name}: least, ms`).join(' | ')} |`);
console.log(`|---|---|${'---|'.repeat(names.length)}`);
for (const [index, { pair, paths }] of all.entries()) {
  const found = { find_only: true, reference: 2 };
  const ran = await runWith(alignRecordings, { file_ids: [...paths] }, found, join(folder, 'run-'));
  const [piece] = (ran.result as unknown as AlignRecordingsResult).recordings[0]?.pieces ?? [];
  const place = (at: number): number =>
    at + (piece?.offsetSeconds ?? 0) + (at - (piece?.startSeconds ?? 0)) * (piece?.driftPpm ?? 0) * 1e-6;
  const theirs = names.map((name) => {
    const offset = others[index]?.[name] ?? null;
    return said(pair, offset === null ? null : (at) => at + offset, false);
  });
  console.log(`| ${pair.name} | ${said(pair, piece === undefined ? null : place, true)} | ${theirs.join(' | ')} |`);
}
rmSync(folder, { recursive: true });
