// The kernel tests on an addon, and the launcher of job processes, built with AddressSanitizer and
// UndefinedBehaviorSanitizer (`npm run test:sanitize`; GCC or Clang on Linux). Everything happens in a copy of the
// sources under build/sanitize, so that the ordinary addon stays as it is and the library needs no way to be told of
// another one. Fails on any report, on any failed test and when nothing ran; the last line says which. Arguments are
// test files to run instead of all of test/library/kernels; --media=1000 damages so many files instead
// (test/fuzz/one-process.ts; the rest of the command line is for it). What that reports stays in
// .cache/fuzz/sanitized/reports, since it goes on where an earlier run stopped, until someone removes it; --keep writes
// what came of it to test/fuzz/damaged-files.md.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyForTests } from './copy-for-tests.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const copy = join(root, 'build', 'sanitize');
const given = process.argv.slice(2);
const files = given.find((each) => each.startsWith('--media='))?.slice('--media='.length);
const damaged = join(root, '.cache/fuzz/sanitized');
const reports = join(files === undefined ? copy : damaged, 'reports');
const compiler = process.env.CXX ?? 'g++';

function fail(why) {
  console.error(`sanitize: ${why}`);
  process.exit(1);
}

if (process.platform !== 'linux') fail(`Expected Linux but this is ${process.platform}: preloading differs there`);

// Preloaded because node itself is built without: the runtime must come before every other library.
const runtime = spawnSync(compiler, ['-print-file-name=libasan.so'], { encoding: 'utf8' });
if (runtime.status !== 0 || !existsSync(runtime.stdout.trim())) fail(`${compiler} has no libasan.so`);

copyForTests(copy, [
  'scripts/build-native.mjs',
  'scripts/node-headers.mjs',
  'scripts/system-calls',
  'test/library/kernels',
  'test/fuzz',
]);
mkdirSync(reports, { recursive: true });

// vptr checks need RTTI, which node-gyp switches off. GCC leaves float-cast-overflow out of `undefined`.
const sanitizers = '-fsanitize=address,undefined,float-cast-overflow -fno-sanitize=vptr -fno-sanitize-recover=all';
const built = spawnSync(process.execPath, ['scripts/build-native.mjs'], {
  cwd: copy,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, CXX: compiler, CXXFLAGS: `${sanitizers} -g -fno-omit-frame-pointer`, LDFLAGS: sanitizers },
});
const addon = join(copy, 'prebuilt', 'earshot.node');
if (built.status !== 0 || !existsSync(addon)) fail('the addon could not be built');
if (!readFileSync(addon).includes('__asan_')) fail('the addon was built without AddressSanitizer');

tryLauncher();

// AddressSanitizer writes its reports to files: a test runner may swallow what a dying process prints. The runtime of
// UndefinedBehaviorSanitizer prints them nevertheless when both are loaded, so what is printed is looked through as
// well. Node gives some of its memory back only by ending, so leaks are not looked for.
const common = `halt_on_error=1:log_path=${join(reports, 'report')}`;
const asTests = () => [
  join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  '--root',
  copy,
  ...(given.length > 0 ? given : ['test/library/kernels']),
  '--reporter=verbose',
  '--testTimeout=900000',
];
const asMedia = () => [
  '--disable-warning=ExperimentalWarning',
  join(copy, 'test/fuzz/one-process.ts'),
  `--files=${files}`,
  `--out=${damaged}`,
  `--reports=${reports}`,
  `--built=${sanitizers}`,
  ...(given.includes('--keep') ? [`--page=${join(root, 'test/fuzz/damaged-files.md')}`] : []),
  ...given.filter((each) => !each.startsWith('--media=') && each !== '--keep'),
];
const tests = spawn(process.execPath, files === undefined ? asTests() : asMedia(), {
  cwd: copy,
  stdio: ['ignore', 'pipe', 'pipe'],
  env: {
    ...process.env,
    LD_PRELOAD: runtime.stdout.trim(),
    ASAN_OPTIONS: `detect_leaks=0:abort_on_error=1:${common}`,
    UBSAN_OPTIONS: `print_stacktrace=1:abort_on_error=1:${common}`,
  },
});
let printed = '';
for (const [from, to] of [
  [tests.stdout, process.stdout],
  [tests.stderr, process.stderr],
]) {
  from.setEncoding('utf8');
  from.on('data', (text) => {
    to.write(text);
    printed += text;
  });
}
const [status, signal] = await once(tests, 'close');

const inFiles = readdirSync(reports).map((name) => readFileSync(join(reports, name), 'utf8'));
for (const text of inFiles) console.error(text);
// The lines that begin a report of either.
const beginnings = [...inFiles, printed].flatMap(
  (text) => text.match(/^.*(?:\bERROR: AddressSanitizer\b|: runtime error: ).*$/gm) ?? [],
);
if (beginnings.length > 0) fail(`the sanitizer reported: ${beginnings[0].trim()}`);
if (inFiles.length > 0) fail('the sanitizer reported (above)');
if (signal !== null) fail(`the tests were ended by ${signal}; the sanitizer reported nothing`);
if (status !== 0) fail('a test failed, or none was found; the sanitizer reported nothing');
console.log(`sanitize: the sanitizer reported nothing and no test failed; built with ${sanitizers}`);

/** Calls the launcher rightly and wrongly; it ends with 0 or says that it cannot, and nothing is reported. */
function tryLauncher() {
  const launcher = join(copy, 'earshot-confine');
  const sources = readdirSync(join(copy, 'native/confine')).filter((name) => name.endsWith('.c'));
  const flags = ['-std=gnu11', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-o', launcher];
  const made = spawnSync(
    process.env.CC ?? 'gcc',
    [...flags, ...sources.map((name) => join(copy, 'native/confine', name))],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (made.status !== 0) fail('the launcher could not be built');
  const echo = ['--', '/bin/echo', 'confined'];
  const read = ['--layers', 'best', '--read', '/'];
  const limits = ['--write', reports, '--data-bytes', '200000000', '--open-files', '20'];
  const right = [
    ['--probe'],
    ['--try', join(copy, 'package.json'), reports, join(copy, 'scratch.txt')],
    [...read, ...echo],
    [...read, ...limits, '--read', '/no/such/folder', ...echo],
    [...read, '--landlock-at-most', '2', ...echo],
    [...read, '--calls', 'log', '--address-bytes', String(2 ** 46), ...echo],
  ];
  const wrong = [
    [],
    ['--layers'],
    ['--layers', 'bogus', ...echo],
    ['--layers', ','.repeat(5000), ...echo],
    ['--layers', 'best', '--data-bytes', 'many', ...echo],
    ['--layers', 'best', '--landlock-at-most', '0', ...echo],
    ['--layers', 'best', '--calls', 'all', ...echo],
    ['--layers', 'best', '--data-bytes', '9'.repeat(40), ...echo],
    [...read, '--read'],
    [...read, '--'],
    [...read, '--', '/no/such/program'],
    ['--layers', 'best', ...Array.from({ length: 1000 }, () => ['--read', '/usr']).flat(), ...echo],
    ['--try'],
  ];
  const cannot = 125;
  for (const [calls, expected] of [
    [right, 0],
    [wrong, cannot],
  ])
    for (const args of calls) {
      const { status, stderr } = spawnSync(launcher, args, {
        encoding: 'utf8',
        env: { ...process.env, ASAN_OPTIONS: 'detect_leaks=0' },
      });
      if (/ERROR: AddressSanitizer|: runtime error: /.test(stderr)) fail(`the launcher was reported: ${stderr}`);
      // What this kernel cannot do is no fault of the launcher's; a call that it does not understand is one of ours.
      if (
        (status !== expected && status !== cannot) ||
        (expected === 0 && stderr.includes('\nearshot-confine --probe'))
      )
        fail(`the launcher answered ${status} to ${args.slice(0, 6).join(' ')}: ${stderr.slice(0, 300)}`);
    }
  console.log(`sanitize: the launcher took ${right.length} right calls and ${wrong.length} wrong ones`);
}
