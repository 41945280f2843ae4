// Hours: what two recordings of one event cost, and how far their clocks are off.
//   npm run bench:sync:long [-- --hours 2,1 --recordings 2]
// Real voices, each round of them at another speed, so that nothing comes twice. The second recording begins 12.3 s
// later, its clock counts 125 in a million fewer, and it has echoes and noise; further ones begin 12.3 s later each,
// with one of three clocks. The hour of two is 48 kHz stereo, the rest 8 kHz.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AlignRecordingsResult } from '../../src/library/tools/align_recordings/result.ts';
import { alignRecordings } from '../../src/library/tools/align_recordings/tool.ts';
import { recording } from '../../test/fixtures/recordings.ts';
import { runWith } from '../../test/library/dsp/tool-run.ts';

const rate = 8000;
/** When each began, and how many samples its clock counts in a second of the world less, or more. */
const recorderOf = (index: number) => ({
  start: 5 + 12.3 * index,
  fewer: [0, 1, -1][index % 3] as number,
  isNear: index % 2 === 0,
});
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { hours: { type: 'string', default: '2,1' }, recordings: { type: 'string', default: '2' } },
});

interface Measured {
  readonly found: AlignRecordingsResult;
  readonly cpu: number;
  readonly mebibytes: number;
}

function ran(command: string, args: readonly string[]): Buffer {
  const { status, stdout, stderr } = spawnSync(command, args, { maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`Expected ${command} to run but received: ${String(stderr)}`);
  return stdout;
}

const ffmpeg = (...args: string[]): Buffer => ran('ffmpeg', ['-y', '-v', 'error', ...args]);

/** What a process of its own does, whose memory is what `sync` takes. */
async function measure(paths: readonly string[]): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'earshot-bench-sync-'));
  const before = process.cpuUsage();
  const { result: found } = await runWith(
    alignRecordings,
    { file_ids: [...paths] },
    { find_only: true, reference: 2 },
    join(work, 'run-'),
  );
  const { user, system } = process.cpuUsage(before);
  rmSync(work, { recursive: true });
  const mebibytes = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(JSON.stringify({ found, cpu: (user + system) / 1e6, mebibytes }));
}

/** Raw sound that goes on for so many seconds. */
function makeWorld(path: string, seconds: number): void {
  const names = [
    'jfk.wav',
    'austen-0870.wav',
    'sonnet001.mp3',
    'acoustic_corpus.wav',
    'ami-trn05.wav',
    'clean_speech_48k.wav',
  ] as const;
  const round = `${path}.round`;
  writeFileSync(round, '');
  for (const name of names)
    appendFileSync(round, ffmpeg('-i', recording(name), '-ar', '16000', '-ac', '1', '-f', 's16le', '-'));
  writeFileSync(path, '');
  for (let [written, turn] = [0, 0]; written < seconds * rate * 2; turn += 1) {
    const speed = `asetrate=${13_600 + 73 * turn},aresample=${rate}`;
    const sound = ffmpeg('-f', 's16le', '-ar', '16000', '-ac', '1', '-i', round, '-af', speed, '-f', 's16le', '-');
    appendFileSync(path, sound);
    written += sound.length;
  }
}

/** Recordings of the world. */
function record(folder: string, world: string, hours: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const { start, fewer, isNear } = recorderOf(index);
    const path = join(folder, `${index}.wav`);
    const clock = fewer === 0 ? [] : [`asetrate=${rate + fewer},aresample=${rate}:filter_size=64`];
    const room = isNear ? ['volume=0.6'] : ['volume=0.5', 'aecho=1:0.8:11|23|41:0.5|0.4|0.3'];
    const noise = isNear ? 'pink:a=0.02' : 'brown:a=0.06';
    const filters = [`atrim=start_sample=${Math.round(start * rate)}`, 'asetpts=N/SR/TB', ...clock, ...room].join();
    const graph = `[0]${filters}[a];[a][1]amix=inputs=2:duration=first:normalize=0`;
    const noises = ['-f', 'lavfi', '-i', `anoisesrc=c=${noise}:seed=${index + 3}:r=${rate}`];
    const form = hours === 1 && count === 2 ? ['-ar', '48000', '-ac', '2'] : [];
    const input = ['-f', 's16le', '-ar', `${rate}`, '-ac', '1', '-i', world];
    ffmpeg(...input, ...noises, '-filter_complex', graph, '-t', `${3600 * hours}`, ...form, path);
    return path;
  });
}

/** Errors of a recording's place every second, ms, and of its drift, ppm. The second recording is the reference. */
function errorsOf({ recordings }: AlignRecordingsResult, index: number): { errors: number[]; drifts: number[] } {
  const [own, reference] = [recorderOf(index), recorderOf(1)];
  const slope = (rate + own.fewer) / (rate + reference.fewer);
  const pieces = recordings[index]?.pieces ?? [];
  const truthAt = (at: number): number =>
    ((own.start - reference.start) * rate) / (rate + reference.fewer) + at * slope;
  return {
    errors: pieces.flatMap(({ startSeconds, endSeconds, offsetSeconds, driftPpm }) =>
      Array.from({ length: Math.max(0, Math.floor(endSeconds - startSeconds) - 3) }, (_, second) => {
        const at = startSeconds + 1 + second;
        return 1000 * (at + offsetSeconds + (at - startSeconds) * driftPpm * 1e-6 - truthAt(at));
      }),
    ),
    drifts: pieces.map(({ driftPpm }) => Math.abs(driftPpm - (slope - 1) * 1e6)),
  };
}

function report(folder: string, hours: number, count: number): string {
  const world = join(folder, 'world');
  makeWorld(world, 3600 * hours + 20 * count + 20);
  const paths = record(folder, world, hours, count);
  const { found, cpu, mebibytes } = JSON.parse(
    String(ran(process.execPath, [import.meta.filename, ...paths])),
  ) as Measured;
  const all = paths.map((_, index) => errorsOf(found, index)).filter((_, index) => index !== 1);
  const errors = all.flatMap((each) => each.errors).sort((a, b) => a - b);
  const shown = [errors[0], errors[errors.length >> 1], errors.at(-1)].map((each) => each?.toFixed(3) ?? 'none');
  const drift = Math.max(...all.flatMap(({ drifts }) => drifts));
  const placed = all.filter((each) => each.errors.length > 0).length + 1;
  return `| ${placed} of ${count}, ${hours} h | ${shown.join(', ')} | ${drift.toFixed(3)} | ${cpu.toFixed(1)} | ${mebibytes.toFixed(0)} |`;
}

if (positionals.length > 0) await measure(positionals);
else {
  console.log(
    '| found | error, ms: least, median, most | drift error, ppm | CPU s | memory, MiB |\n|---|---|---|---|---|',
  );
  for (const hours of given.hours.split(',').map(Number)) {
    const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-sync-'));
    console.log(report(folder, hours, Number(given.recordings)));
    rmSync(folder, { recursive: true });
  }
}
