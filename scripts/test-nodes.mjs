// The whole suite with the newest of each Node that the project supports, its jobs confined (`npm run test:nodes`).
// Each comes from the registry as a package, into node_modules/.cache/nodes: a temporary folder would not be found
// where tests put another one in its place, and jobs with a user of their own must reach it. Prints a table; ends with
// 1 when a test fails, when none ran, and where jobs would not be confined. What starts the sources as they are is left
// out on Node 22, which cannot read them (test/config/built.ts).
// Usage: test-nodes.mjs [--nodes 22,26; default: 22,24,26] [what vitest takes: test files, --shard=1/3]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forgetTools, program } from './release/managers.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const given = process.argv.slice(2);
const at = given.indexOf('--nodes');
const versions = (at < 0 ? '22,24,26' : (given.splice(at, 2)[1] ?? '')).split(',');

/** Found first by whatever a test starts by name. */
const environmentOf = (node) => ({ ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` });

/** @returns in words, what confines this Node's jobs. @throws Error where nothing does */
function confinementOf(node) {
  const args = ['dist/cli/main.js', 'doctor', '--json'];
  const { stdout } = spawnSync(node, args, { cwd: root, env: environmentOf(node), encoding: 'utf8' });
  const finding = JSON.parse(stdout).findings.find(({ subject }) => subject === 'confinement of jobs');
  if (finding?.state !== 'fine') throw new Error(`its jobs are not confined: ${finding?.says}`);
  return finding.says;
}

async function suiteWith(node, answers) {
  const child = spawn(
    node,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      'test/config/all.config.ts',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${answers}`,
      ...given,
    ],
    { cwd: root, env: environmentOf(node), stdio: 'inherit' },
  );
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(readFileSync(answers, 'utf8'));
}

const built = spawnSync(process.execPath, ['scripts/build-when-stale.mjs'], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(1);
const folder = mkdtempSync(join(tmpdir(), 'earshot-nodes-'));
const rows = [];
const failures = [];
try {
  for (const version of versions) {
    const spec = `node-${process.platform}-${process.arch}@${version}`;
    const node = program(spec, { file: join('bin', 'node'), folder: join(root, 'node_modules/.cache/nodes') });
    const name = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
    try {
      const confinement = confinementOf(node);
      const startedAt = performance.now();
      const said = await suiteWith(node, join(folder, `${name}.json`));
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = said;
      rows.push({ Node: name, passed, failed, skipped, files: said.testResults.length, seconds, confinement });
      if (passed === 0) failures.push(`${name}: no test passed`);
      for (const { name: file, status, message, assertionResults } of said.testResults) {
        const wrong = assertionResults.filter((each) => each.status === 'failed');
        for (const { fullName } of wrong) failures.push(`${name}: ${relative(root, file)}: ${fullName}`);
        // A file that could not even be loaded has no tests.
        if (status === 'failed' && wrong.length === 0) failures.push(`${name}: ${relative(root, file)}: ${message}`);
      }
    } catch (thrown) {
      failures.push(`${name}: ${thrown.message}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
  forgetTools();
}
console.table(rows);
for (const failure of failures) console.error(`FAILED ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
