// What the filters of system calls cost: the list of what is allowed beside the list of what was refused before it,
// which is built from the history of this checkout.
//     node bench/confine/main.ts [--before=<commit>] [--starts=300] [--jobs=10]
// Needs Linux, a C compiler, dist (npm run build), and a launcher (npm run install).
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launcher } from '../../src/library/runtime/confine/confinement.ts';
import { readablePaths } from '../../src/library/runtime/confine/readable.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const flag = (name: string, fallback: string): string =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;
/** The last one with the list of what is refused. */
const before = flag('before', '266a8d42');
const [starts, jobs] = [Number(flag('starts', '300')), Number(flag('jobs', '10'))];

const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-confine-'));
const compile = (out: string, ...sources: readonly string[]): string => {
  execFileSync(process.env['CC'] ?? 'cc', ['-std=gnu11', '-O2', '-o', join(folder, out), ...sources]);
  return join(folder, out);
};

function formerLauncher(): string {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const files = git('ls-tree', '--name-only', before, 'native/confine/').trim().split('\n');
  for (const file of files) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), git('show', `${before}:${file}`));
  }
  return compile('before', ...globSync(join(folder, 'native/confine/*.c')));
}

try {
  const now = launcher();
  if (now === null) throw new Error('Expected Linux and a launcher: npm run install');
  const cost = compile('cost', join(root, 'bench/confine/cost.c'));
  const former = formerLauncher();
  const reads = readablePaths().flatMap((path) => ['--read', path]);
  const fence = (program: string, layers: string): string[] => [
    program,
    '--layers',
    layers,
    ...reads,
    '--write',
    folder,
    '--',
  ];
  const ways: Readonly<Record<string, readonly string[]>> = {
    'no filter': [],
    'what was refused': fence(former, 'seccomp'),
    'what is allowed': fence(now, 'seccomp'),
  };
  const table: Record<string, string[]> = {};
  const add = (what: string, value: string): void => void (table[what] ??= []).push(value);
  for (const way of Object.values(ways)) {
    const [program, ...args] = way.length === 0 ? [cost] : [way[0] as string, ...way.slice(1), cost];
    const measured = JSON.parse(execFileSync(program, args, { encoding: 'utf8' })) as Record<string, number>;
    for (const [call, nanoseconds] of Object.entries(measured)) add(`${call}, ns`, String(Math.round(nanoseconds)));
    add(`start of /bin/true, ms of CPU, mean of ${starts}`, started(starts, cost, [...way, '/bin/true']));
    const job = [
      process.execPath,
      join(root, 'dist/library/runtime/job/job-process.js'),
      'compile-only',
      join(folder, 'none'),
    ];
    add(`Node and two short jobs, ms of CPU, mean of ${jobs}`, started(jobs, cost, [...way, ...job]));
  }
  print(['', ...Object.keys(ways)], table);

  const fences: Record<string, string[]> = {};
  for (const layers of ['seccomp', 'landlock,seccomp', 'namespaces,seccomp', 'best'])
    fences[layers] = [started(starts, cost, [...fence(now, layers), '/bin/true'])];
  print(['layers', 'start of /bin/true, ms of CPU'], fences);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** In milliseconds of CPU: the least of three means, since machines have other work. */
function started(times: number, cost: string, command: readonly string[]): string {
  const means = Array.from({ length: 3 }, () => {
    const { status, stdout, stderr } = spawnSync(cost, ['--start', String(times), ...command], {
      encoding: 'utf8',
      cwd: folder,
    });
    if (status !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`);
    return Number(stdout);
  });
  return Math.min(...means).toFixed(2);
}

function print(head: readonly string[], rows: Readonly<Record<string, readonly string[]>>): void {
  const line = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);
  line(head);
  line(head.map(() => '---'));
  for (const [name, cells] of Object.entries(rows)) line([name, ...cells]);
  console.log();
}
