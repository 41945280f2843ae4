// `npm run bench:cli`: what commands cost that do little, wall and CPU with every process that they start, beside what
// ffmpeg takes for the same and beside a Node that does nothing. Runs what `npm run build` made; with `-- --sources`
// the sources. `-- --runs=9`: more runs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { machineLine, median, runs } from '../compare.ts';
import { wavFile } from '../service/wav.ts';

const built = !process.argv.includes('--sources');
const cli = fileURLToPath(new URL(built ? '../../dist/cli/main.js' : '../../src/cli/main.ts', import.meta.url));
if (!existsSync(cli)) throw new Error(`There is no ${cli}: run \`npm run build\``);

const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-cli-'));
const wav = join(folder, 'five.wav');
writeFileSync(wav, wavFile(5));

type Command = readonly string[];
const earshot = (...args: string[]): Command => [process.execPath, cli, ...args];
const ffmpeg = (...args: string[]): Command => ['ffmpeg', '-nostdin', '-v', 'error', '-y', ...args];

/** Of children that have ended, with theirs; milliseconds, in steps of ten. */
function childrenCpu(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return 10 * ((fields[13] ?? 0) + (fields[14] ?? 0));
}

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

function once(command: Command): Cost {
  const [program = '', ...args] = command;
  const [cpu, startedAt] = [childrenCpu(), performance.now()];
  const { status, stderr } = spawnSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const wallMs = performance.now() - startedAt;
  if (status !== 0) throw new Error(`${command.join(' ')} failed: ${stderr?.toString()}`);
  return { wallMs, cpuMs: childrenCpu() - cpu };
}

const cases: readonly (readonly [name: string, boundMs: string, ours: Command, peer: Command])[] = [
  ['--version', '90', earshot('--version'), [process.execPath, '-e', '0']],
  ['--help', '90', earshot('--help'), [process.execPath, '-e', '0']],
  ['probe', '', earshot('probe', wav), ['ffprobe', '-v', 'error', '-show_format', '-show_streams', wav]],
  ['media-info', '200', earshot('media-info', wav), ffmpeg('-i', wav, '-af', 'ebur128=peak=true', '-f', 'null', '-')],
  [
    'loudness',
    '260',
    earshot('loudness', wav, '-y', '-o', join(folder, 'ours.wav')),
    ffmpeg('-i', wav, '-af', 'loudnorm=I=-16:TP=-1', '-ar', '44100', join(folder, 'peer.wav')),
  ],
  ['convert to mp3', '', earshot('convert', wav, '--format', 'mp3', '-y'), ffmpeg('-i', wav, join(folder, 'peer.mp3'))],
];

try {
  console.log(`${machineLine()}; ${built ? 'dist' : 'sources'}; 5 s of mono WAV\n`);
  console.log(
    '| earshot | bound, wall ms | wall ms | CPU ms | peer | wall ms | CPU ms |\n|---|---|---|---|---|---|---|',
  );
  // The compile cache is filled by a process beside the first run of a tool.
  for (const [, , ours, peer] of cases) for (const command of [ours, peer]) once(command);
  await sleep(5000);
  for (const [name, bound, ours, peer] of cases) {
    const costs: (readonly [Cost, Cost])[] = [];
    // In turns, so that a change of the machine's speed meets both.
    for (let run = 0; run < runs; run += 1) costs.push([once(ours), once(peer)]);
    const of = (side: 0 | 1, what: keyof Cost): string => median(costs.map((pair) => pair[side][what])).toFixed(0);
    const peerName = (peer[0] === process.execPath ? 'node -e 0' : peer[0]) ?? '';
    const row = [name, bound, of(0, 'wallMs'), of(0, 'cpuMs'), peerName, of(1, 'wallMs'), of(1, 'cpuMs')];
    console.log(`| ${row.join(' | ')} |`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
