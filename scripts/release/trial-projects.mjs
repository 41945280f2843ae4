// What the trials on other systems have in common (test-windows.mjs, test-arm64.mjs): packages, recordings, and
// projects with earshot in them as npm installs it there.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeFiles } from '../../test/machines/files.ts';
import { asOptions } from './managers.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Packs what the named systems install, native parts by cross.mjs. */
export function packFor(systems, folder) {
  const packing = [['build-when-stale.mjs'], ['release/pack.mjs', '--systems', systems.join(), folder]];
  for (const [script, ...args] of packing) {
    const command = [join(root, 'scripts', script), ...args];
    if (spawnSync(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
      throw new Error(`scripts/${script} failed`);
  }
}

/** The recordings that system-trial.mjs is given. */
export function prepareInputs(folder) {
  mkdirSync(folder);
  const recordings = { 'jfk.flac': 'speech.flac', 'um.flac': 'um.flac', 'noisy_snr0_48k.flac': 'noisy.flac' };
  for (const [from, to] of Object.entries(recordings))
    copyFileSync(join(root, 'test/recordings', from), join(folder, to));
  copyFileSync(join(root, 'test/machines/jfk.txt'), join(folder, 'jfk.txt'));
  return makeFiles(folder, 30);
}

/**
 * A project with earshot and its models as npm installs them on a system, and system-trial.mjs as trial.mjs.
 * @param {{ names?: string[], optionalDependencies?: Record<string, string> }} [more] further packages
 */
export async function installEarshot(folder, system, address, { names = [], optionalDependencies = {} } = {}) {
  mkdirSync(folder);
  // A package of another system is only taken where it may be missing.
  const manifest = { name: 'x', version: '1.0.0', private: true, type: 'module', optionalDependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const args = ['install', '--ignore-scripts', `--registry=${address}/`, ...asOptions(system)];
  await promisify(execFile)('npm', [...args, 'earshot', 'earshot-models', ...names], {
    cwd: folder,
    maxBuffer: 2 ** 26,
  });
  copyFileSync(fileURLToPath(new URL('system-trial.mjs', import.meta.url)), join(folder, 'trial.mjs'));
}

/**
 * Runs the tools in a project, its output to output.txt.
 * @param node the program
 * @param {{ seconds?: number, confinement?: string, only?: string }} [options] when it is ended; of the engine; the
 *   runs that are wanted, by name, between commas (default all)
 */
export async function tryTools(node, project, recordings, { seconds = 3600, confinement = 'best', only = '' } = {}) {
  const trial = spawn('sh', ['-c', '"$0" trial.mjs tools "$1" >output.txt 2>&1', node, recordings], {
    cwd: project,
    stdio: 'ignore',
    env: { ...process.env, TRIAL_CONFINEMENT: confinement, TRIAL_TOOLS: only },
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
  });
  await new Promise((done) => trial.once('exit', done));
}
