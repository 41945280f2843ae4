// Coverage-guided fuzzing of the kernels that read what strangers send (`npm run fuzz:native -- [seconds; default 60; or
// --runs=100000]`; needs clang with libFuzzer on Linux). Inputs found worth keeping stay in .cache/fuzz/kernels and are where the next run
// begins; an input that breaks something is written to .cache/fuzz as crash-*.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const runs = /^--runs=(\d+)$/.exec(process.argv[2] ?? '')?.[1];
const seconds = Number(runs === undefined ? (process.argv[2] ?? 60) : 0);
const compiler = process.env.CLANGXX ?? 'clang++';
const out = join(root, '.cache/fuzz');
const corpus = join(out, 'kernels');
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

const kernels = globSync('native/kernels/*.cc', { cwd: root }).map((file) => join(root, file));
run(compiler, [
  '-std=c++17',
  '-O1',
  '-g',
  '-fsanitize=fuzzer,address,undefined',
  // A sample may be any float: what cannot be held by the type it goes to is a fault, dividing by zero is not.
  '-fsanitize=float-cast-overflow',
  '-fno-sanitize=vptr',
  '-fno-sanitize-recover=all',
  '-ffp-contract=fast',
  '-Wno-psabi',
  '-o',
  program,
  join(root, 'native/fuzz/fuzz_kernels.cc'),
  ...kernels,
]);
run(program, [
  runs === undefined ? `-max_total_time=${seconds}` : `-runs=${runs}`,
  '-max_len=65536',
  '-timeout=10',
  '-rss_limit_mb=2048',
  corpus,
]);
console.log(`fuzz-native: ${runs === undefined ? `${seconds} s` : `${runs} calls`} without a fault`);
