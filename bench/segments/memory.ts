// Memory of runs of the command line, by length and cores: the most that the job process used, and in brackets the most
// that it and the command line's own process used together, sampled. As built: `npm run build` first. Prints a table.
//   node bench/segments/memory.ts [--minutes=10,60,600] [--cores=1,2,4,8] [--only=mp3,m4a,ogg,opus,loudness-mp3]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { descendantsOf, usedBytes } from '../../src/library/runtime/process/process-tree.ts';
import { benchFile } from '../media.ts';

const flag = (name: string, usual: string): string =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual;
const minutes = flag('minutes', '10,60,600').split(',').map(Number);
const cores = flag('cores', '1,2,4,8').split(',');
const only = flag('only', 'mp3,m4a,ogg,opus,loudness-mp3').split(',');

const earshot = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'earshot-memory-'));
const cases = [
  { name: 'mp3', args: ['convert', '--format', 'mp3'], extension: 'mp3' },
  { name: 'm4a', args: ['convert', '--format', 'm4a'], extension: 'm4a' },
  { name: 'ogg', args: ['convert', '--format', 'ogg'], extension: 'ogg' },
  { name: 'opus', args: ['convert', '--format', 'opus'], extension: 'opus' },
  { name: 'loudness-mp3', args: ['loudness', '--output-format', 'mp3'], extension: 'mp3' },
].filter(({ name }) => only.includes(name));

/** Between two looks, ms. */
const lookEvery = 50;

async function peaks({ args, extension }: (typeof cases)[number], path: string, threads: string): Promise<string> {
  const output = join(folder, `output.${extension}`);
  const child = spawn(process.execPath, [earshot, ...args, '--quiet', '--overwrite', '--output', output, path], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, EARSHOT_CORES: threads },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${process.execPath} did not start`);
  let [job, all] = [0, 0];
  const looks = setInterval(() => {
    const children = descendantsOf(pid).map((each) => usedBytes(each) ?? 0);
    job = Math.max(job, ...children);
    all = Math.max(all, usedBytes(pid) ?? 0);
  }, lookEvery);
  const [status] = (await once(child, 'exit')) as [number | null];
  clearInterval(looks);
  if (status !== 0) throw new Error(`earshot ${args.join(' ')} of ${path} ended with ${status}`);
  return `${(job / 1e6).toFixed(0)} (${(all / 1e6).toFixed(0)})`;
}

try {
  console.log(`| Work | Minutes | ${cores.map((threads) => `${threads} cores, MB`).join(' | ')} |`);
  console.log(`|---|---|${cores.map(() => '---|').join('')}`);
  for (const each of minutes)
    for (const one of cases) {
      const path = benchFile('flac', each * 60);
      const row: string[] = [];
      for (const threads of cores) row.push(await peaks(one, path, threads));
      console.log(`| ${one.name} | ${each} | ${row.join(' | ')} |`);
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
