// level_speakers and mix_tracks beside what ffmpeg has for the same work: CPU, and peak memory at 1 h and 10 h.
// `--quick`: 10-minute files only; `--no-10h`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noFinishedParts } from '../../src/library/core/progress/finished-parts.ts';
import { allocatorEnvironment } from '../../src/library/runtime/process/spawn.ts';
import type { RunContext } from '../../src/library/tools/declare/run.ts';
import { type FilesByField, shapeInputs } from '../../src/library/contract/tool-inputs.ts';
import { requireTool } from '../../src/library/tools/registry.ts';
import { runHere } from '../../src/library/dsp/denoise/suppressor/pieces.ts';
import { inputFiles } from '../../test/fixtures/media/input-files.ts';
import { benchFile, ffmpeg } from '../media.ts';

interface Figure {
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

const self = fileURLToPath(import.meta.url);

/** One measured run, in a process of its own. */
async function work(id: string, inputs: string, options: string): Promise<void> {
  const tool = requireTool(id);
  const workDir = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
  const context: RunContext = {
    inputs: shapeInputs(tool.inputs, inputFiles(JSON.parse(inputs) as FilesByField<string>)),
    options: tool.parseOptions(JSON.parse(options)),
    workDir,
    signal: new AbortController().signal,
    parallelism: 1,
    modelsDir: undefined,
    progress: () => undefined,

    pass: () => () => undefined,
    partial: () => undefined,
    finished: noFinishedParts,
    warn: () => undefined,
    fanOut: runHere(new AbortController().signal),
  };
  try {
    await (await tool.run()).run(context);
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ cpuSeconds: (user + system) / 1e6, peakMb: process.resourceUsage().maxRSS / 1024 }));
}

function ours(id: string, inputs: object, options: object = {}): Figure {
  const ran = spawnSync(process.execPath, [self, '--work', id, JSON.stringify(inputs), JSON.stringify(options)], {
    encoding: 'utf8',
    env: { ...allocatorEnvironment, ...process.env },
  });
  if (ran.status !== 0) throw new Error(`${id} failed: ${ran.stderr}`);
  return JSON.parse(ran.stdout) as Figure;
}

function peer(args: readonly string[]): Figure {
  const { stderr } = ffmpeg([
    '-benchmark',
    '-nostats',
    '-threads',
    '1',
    '-filter_threads',
    '1',
    '-filter_complex_threads',
    '1',
    ...args,
  ]);
  const [, utime, stime] = /utime=([\d.]+)s stime=([\d.]+)s/.exec(stderr) ?? [];
  return { cpuSeconds: Number(utime) + Number(stime), peakMb: Number(/maxrss=(\d+)ki?B/i.exec(stderr)?.[1]) / 1024 };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

function compare(name: string, peerName: string, runs: number, mine: () => Figure, theirs: () => Figure): void {
  const pairs = Array.from({ length: runs }, () => [mine(), theirs()] as const);
  const [cpu, peerCpu] = [median(pairs.map(([a]) => a.cpuSeconds)), median(pairs.map(([, b]) => b.cpuSeconds))];
  const ratio = median(pairs.map(([a, b]) => a.cpuSeconds / b.cpuSeconds));
  console.log(
    `| ${name} | ${peerName} | ${cpu.toFixed(2)} | ${peerCpu.toFixed(2)} | ${ratio.toFixed(2)} | ` +
      `${Math.max(...pairs.map(([a]) => a.peakMb)).toFixed(0)} |`,
  );
}

function main(): void {
  const quick = process.argv.includes('--quick');
  const out = join(tmpdir(), 'earshot-bench-peer.wav');
  const duckTracks = { duck: true, tracks: [{ role: 'voice' }, { role: 'music', volume_db: -6 }] };
  console.log(
    'Ours finds speech, sets a loudness target, limits true peaks and measures the written file; the peers do one ' +
      'pass of their filter and nothing of that.\n',
  );
  console.log('| work | peer | CPU s | peer CPU s | CPU ratio | peak MB |\n|---|---|---|---|---|---|');
  for (const seconds of quick ? [600] : [600, 3600]) {
    const path = benchFile('wav', seconds);
    const runs = seconds === 600 ? 3 : 2;
    const minutes = `${seconds / 60} min`;
    compare(
      `level_speakers, ${minutes} wav`,
      'dynaudnorm',
      runs,
      () => ours('level_speakers', { file_id: [path] }),
      () => peer(['-y', '-i', path, '-af', 'dynaudnorm', '-c:a', 'pcm_s16le', out]),
    );
    compare(
      `level_speakers, ${minutes} wav`,
      'speechnorm',
      runs,
      () => ours('level_speakers', { file_id: [path] }),
      () => peer(['-y', '-i', path, '-af', 'speechnorm', '-c:a', 'pcm_s16le', out]),
    );
    compare(
      `mix_tracks, 2 x ${minutes} wav`,
      'amix',
      runs,
      () => ours('mix_tracks', { tracks: [path, path] }),
      () =>
        peer(['-y', '-i', path, '-i', path, '-filter_complex', 'amix=inputs=2:normalize=0', '-c:a', 'pcm_s16le', out]),
    );
    compare(
      `mix_tracks duck, 2 x ${minutes} wav`,
      'sidechaincompress + amix',
      runs,
      () => ours('mix_tracks', { tracks: [path, path] }, duckTracks),
      () =>
        peer([
          '-y',
          '-i',
          path,
          '-i',
          path,
          '-filter_complex',
          '[0]asplit[v][k];[1][k]sidechaincompress=ratio=8[m];[v][m]amix=inputs=2:normalize=0',
          '-c:a',
          'pcm_s16le',
          out,
        ]),
    );
  }
  rmSync(out, { force: true });
  if (quick || process.argv.includes('--no-10h')) return;
  console.log('\n| peak memory, MB | 1 h | 10 h |\n|---|---|---|');
  const [short, long] = [benchFile('mp3', 3600), benchFile('mp3', 36_000)];
  for (const [name, id, inputs, options] of [
    [
      'level_speakers mp3 to flac',
      'level_speakers',
      (path: string) => ({ file_id: [path] }),
      { output_format: 'flac' },
    ],
    [
      'level_speakers, 2 tracks mp3 to flac',
      'level_speakers',
      (path: string) => ({ track_file_ids: [path, path] }),
      { output_format: 'flac' },
    ],
    [
      'mix_tracks duck, 2 mp3 to flac',
      'mix_tracks',
      (path: string) => ({ tracks: [path, path] }),
      { ...duckTracks, output_format: 'flac' },
    ],
  ] as const)
    console.log(
      `| ${name} | ${ours(id, inputs(short), options).peakMb.toFixed(0)} | ` +
        `${ours(id, inputs(long), options).peakMb.toFixed(0)} |`,
    );
}

if (process.argv[2] === '--work') await work(process.argv[3] ?? '', process.argv[4] ?? '{}', process.argv[5] ?? '{}');
else main();
