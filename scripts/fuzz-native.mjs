// Coverage-guided fuzzing of the kernels that read what strangers send (`npm run fuzz:native -- [seconds; default 60;
// or --runs=100000] [--seed=34] [--keep]`; needs clang with libFuzzer on Linux). Inputs found worth keeping stay in
// .cache/fuzz/kernels and are where the next run begins; an input that breaks something is written to .cache/fuzz as
// crash-*. --keep writes what came of it to test/fuzz/hostile-calls.md.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { runs: { type: 'string' }, seed: { type: 'string' }, keep: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const { runs } = values;
const seconds = Number(positionals[0] ?? 60);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const compiler = process.env.CLANGXX ?? 'clang++';
const out = join(root, '.cache/fuzz');
const corpus = join(out, 'kernels');
const beginnings = join(out, 'beginnings');
const program = join(out, 'fuzz-kernels');
mkdirSync(corpus, { recursive: true });

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: out, stdio: 'inherit' });
  if (error) {
    console.error(
      `fuzz-native: ${command} cannot be run (${error.message}); Debian has it in clang and libclang-rt-14-dev`,
    );
    process.exit(1);
  }
  if (status !== 0) {
    console.error(`fuzz-native: ${command} ended with ${status}`);
    process.exit(1);
  }
}

const sanitizers = [
  '-fsanitize=fuzzer,address,undefined',
  // A sample may be any float: what cannot be held by the type it goes to is a fault, dividing by zero is not.
  '-fsanitize=float-cast-overflow',
  '-fno-sanitize=vptr',
  '-fno-sanitize-recover=all',
];
const kernels = globSync('native/kernels/*/*.cc', { cwd: root }).map((file) => join(root, file));
run(compiler, [
  '-std=c++17',
  '-O1',
  '-g',
  ...sanitizers,
  '-ffp-contract=fast',
  '-Wno-psabi',
  '-o',
  program,
  join(root, 'native/fuzz/fuzz_kernels.cc'),
  ...kernels,
]);
const startedAt = performance.now();
makeBeginnings();
run(program, [
  `-seed=${seed}`,
  runs === undefined ? `-max_total_time=${seconds}` : `-runs=${runs}`,
  '-max_len=65536',
  // Long inputs from the first: a block of sound has thousands of bytes.
  '-len_control=0',
  // By the clock, on machines that do other work, too.
  '-timeout=60',
  '-rss_limit_mb=2048',
  corpus,
  beginnings,
]);
const took = Math.round((performance.now() - startedAt) / 1000);
const calls = readFileSync(join(out, 'kernel-calls.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));
const all = calls.reduce((sum, [, count]) => sum + Number(count), 0);
console.log(`fuzz-native: ${all} calls in ${took} s without a fault`);
if (values.keep) keep();

/** Bytes of every length to begin with: out of nothing libFuzzer would try the shortest blocks for a long time. */
function makeBeginnings() {
  rmSync(beginnings, { recursive: true, force: true });
  mkdirSync(beginnings);
  for (let number = 0; number < 400; number++) {
    // A hash as long as wanted: the same bytes for a seed.
    const hash = createHash('shake256', { outputLength: Math.round(8 * 1.018 ** number) });
    writeFileSync(join(beginnings, String(number)), hash.update(`${seed} ${number}`).digest());
  }
}

/** The page of this run. Only a run without a fault comes so far. */
function keep() {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
  const changed = git('status', '--porcelain', '--', 'native', 'scripts/fuzz-native.mjs') !== '';
  const [version] = spawnSync(compiler, ['--version'], { encoding: 'utf8' }).stdout.split('\n');
  const count = (number) => Number(number).toLocaleString('en-US');
  const lines = [
    '# Hostile calls of the kernels under the sanitizers',
    '',
    `Written by \`npm run fuzz:native -- --runs=${runs ?? all} --seed=${seed} --keep\`. libFuzzer makes the bytes, ` +
      'and keeps those that',
    'reach code no other reached; native/fuzz/fuzz_kernels.cc makes calls of them.',
    '',
    '| What | Figure |',
    '| --- | --- |',
    `| calls | ${count(all)} |`,
    `| day | ${new Date().toISOString().slice(0, 10)} |`,
    `| commit | ${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''} |`,
    `| built with | ${version}, ${sanitizers.join(' ')} |`,
    `| seconds | ${count(took)} |`,
    `| inputs kept | ${count(readdirSync(corpus).length)} |`,
    '| reports of the sanitizers, calls over 60 s, over 2 GiB, and wrong counts | 0 |',
    '',
    '| Kernel | Calls |',
    '| --- | --- |',
    ...calls.map(([kernel, number]) => `| ${kernel} | ${count(number)} |`),
    '',
  ];
  writeFileSync(join(root, 'test/fuzz/hostile-calls.md'), lines.join('\n'));
}
