// `npm run bench:cli`: what commands cost that do little, wall and CPU with every process that they start, beside what
// ffmpeg takes for the same and beside a Node that does nothing. Runs what `npm run build` made; with `-- --sources`
// the sources. `-- --runs=9`: more runs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Command,
  type Cost,
  costOf,
  earshot,
  ffmpegCommand,
  fromSources,
  machineLine,
  median,
  runs,
} from '../compare.ts';
import { wavFile } from '../service/wav.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-cli-'));
const wav = join(folder, 'five.wav');
writeFileSync(wav, wavFile(5));

const cases: readonly (readonly [name: string, boundMs: string, ours: Command, peer: Command])[] = [
  ['--version', '90', earshot('--version'), [process.execPath, '-e', '0']],
  ['--help', '90', earshot('--help'), [process.execPath, '-e', '0']],
  ['probe', '', earshot('probe', wav), ['ffprobe', '-v', 'error', '-show_format', '-show_streams', wav]],
  [
    'media-info',
    '200',
    earshot('media-info', wav),
    ffmpegCommand('-i', wav, '-af', 'ebur128=peak=true', '-f', 'null', '-'),
  ],
  [
    'loudness',
    '260',
    earshot('loudness', wav, '-y', '-o', join(folder, 'ours.wav')),
    ffmpegCommand('-i', wav, '-af', 'loudnorm=I=-16:TP=-1', '-ar', '44100', join(folder, 'peer.wav')),
  ],
  [
    'convert to mp3',
    '',
    earshot('convert', wav, '--format', 'mp3', '-y'),
    ffmpegCommand('-i', wav, join(folder, 'peer.mp3')),
  ],
];

try {
  console.log(`${machineLine()}; ${fromSources ? 'sources' : 'dist'}; 5 s of mono WAV\n`);
  console.log(
    '| earshot | bound, wall ms | wall ms | CPU ms | peer | wall ms | CPU ms |\n|---|---|---|---|---|---|---|',
  );
  // The compile cache is filled by a process beside the first run of a tool.
  for (const [, , ours, peer] of cases) for (const command of [ours, peer]) costOf([command], folder);
  await sleep(5000);
  for (const [name, bound, ours, peer] of cases) {
    const costs: (readonly [Cost, Cost])[] = [];
    // In turns, so that a change of the machine's speed meets both.
    for (let run = 0; run < runs; run += 1) costs.push([costOf([ours], folder), costOf([peer], folder)]);
    const of = (side: 0 | 1, what: keyof Cost): string =>
      (1000 * median(costs.map((pair) => pair[side][what]))).toFixed(0);
    const peerName = (peer[0] === process.execPath ? 'node -e 0' : peer[0]) ?? '';
    const row = [
      name,
      bound,
      of(0, 'wallSeconds'),
      of(0, 'cpuSeconds'),
      peerName,
      of(1, 'wallSeconds'),
      of(1, 'cpuSeconds'),
    ];
    console.log(`| ${row.join(' | ')} |`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
