// Package managers, as try-packages.mjs uses them: how each adds a package, installs what its lock file says and
// nothing else, and makes that file as another system would.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmCommand } from '../npm.mjs';

/** Programs from the registry, deleted by {@link forgetTools}. */
const tools = mkdtempSync(join(tmpdir(), 'earshot-managers-'));
chmodSync(tools, 0o755);
export const forgetTools = () => rmSync(tools, { recursive: true, force: true });

const fetched = new Map();
/**
 * A program of a package in the registry, fetched once.
 * @param {string} spec "npm@10"
 * @param {{ file?: string, command?: string, folder?: string }} [options] `file` within the package; default: the one
 * that its package.json calls by `command`. `folder`: where it is kept; default: one that is deleted
 */
export function program(spec, { file, command, folder = tools } = {}) {
  const name = spec.replace(/(?<=.)@.*$/, '');
  const prefix = join(folder, spec.replace('/', '+'));
  if (!fetched.has(spec)) {
    mkdirSync(prefix, { recursive: true });
    const [npm, ...first] = npmCommand();
    const args = [...first, 'install', '--prefix', prefix, '--no-save', '--ignore-scripts', spec];
    const { status, stderr } = spawnSync(npm, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${spec} could not be had: ${stderr}`);
    fetched.set(spec, JSON.parse(readFileSync(join(prefix, 'node_modules', name, 'package.json'), 'utf8')));
  }
  const { bin } = fetched.get(spec);
  return join(prefix, 'node_modules', name, file ?? (typeof bin === 'string' ? bin : bin[command]));
}

/** "darwin-arm64" as the options by which npm, pnpm and Bun resolve for a system that is not this one. */
export const asOptions = (system) => {
  const [os, cpu] = system.split('-');
  return [`--os=${os}`, `--cpu=${cpu}`];
};

/**
 * One way to install.
 * @typedef {object} Manager
 * @property {(node: string) => string[]} command the program and what always comes first
 * @property {(names: string[], scripts: boolean) => string[]} add its arguments that add packages to a project
 * @property {(scripts: boolean) => string[]} frozen those that install by the lock file and fail where that would
 * change
 * @property {string[]} locks the files by which a project pins what it has
 * @property {(system: string) => string[]} [elsewhere] those that resolve for another system; settings do where there
 * are none
 * @property {boolean} [sameEverywhere] its lock file never depends on the system
 * @property {(address: string, scripts: boolean, system?: string) => Record<string, string>} settings files of a
 * project
 * @property {(place: string) => Record<string, string>} [environment]
 * @property {boolean} [linked] there is no node_modules: programs are started through the manager
 */

const npmWith = (spec) => ({
  command: (node) => (spec ? [node, program(spec, { command: 'npm' })] : npmCommand({ node })),
  add: (names, scripts) => ['install', ...(scripts ? [] : ['--ignore-scripts']), ...names],
  frozen: (scripts) => ['ci', ...(scripts ? [] : ['--ignore-scripts'])],
  locks: ['package-lock.json'],
  elsewhere: asOptions,
  settings: (address) => ({ '.npmrc': `registry=${address}/\n` }),
  environment: (place) => ({ npm_config_cache: join(place, 'cache') }),
});

const yarn4 = (linker) => ({
  command: (node) => [node, program('@yarnpkg/cli-dist@4', { command: 'yarn' })],
  add: (names) => ['add', ...names],
  frozen: () => ['install', '--immutable'],
  locks: ['yarn.lock'],
  linked: linker === 'pnp',
  settings: (address, scripts, system) => ({
    '.yarnrc.yml': [
      `npmRegistryServer: ${address}`,
      'unsafeHttpWhitelist: [127.0.0.1]',
      `nodeLinker: ${linker}`,
      `enableScripts: ${scripts}`,
      'enableTelemetry: false',
      'enableImmutableInstalls: false',
      ...(system ? [`supportedArchitectures: { os: [${system.split('-')[0]}], cpu: [${system.split('-')[1]}] }`] : []),
      '',
    ].join('\n'),
  }),
  environment: (place) => ({ YARN_GLOBAL_FOLDER: join(place, 'yarn-4') }),
});

/** @type {Record<string, Manager>} */
export const managers = {
  npm: npmWith(),
  'npm@latest': npmWith('npm@latest'),
  'npm@10': npmWith('npm@10'),
  pnpm: {
    command: (node) => [node, program('pnpm@10', { command: 'pnpm' })],
    add: (names, scripts) => [
      'add',
      ...(scripts ? ['--config.dangerously-allow-all-builds=true'] : ['--ignore-scripts']),
      ...names,
    ],
    frozen: (scripts) => [
      'install',
      '--frozen-lockfile',
      scripts ? '--config.dangerously-allow-all-builds=true' : '--ignore-scripts',
    ],
    locks: ['pnpm-lock.yaml'],
    elsewhere: asOptions,
    settings: (address) => ({ '.npmrc': `registry=${address}/\n` }),
    environment: (place) => ({ XDG_DATA_HOME: join(place, 'data'), XDG_CACHE_HOME: join(place, 'pnpm-cache') }),
  },
  'yarn@1': {
    command: (node) => [node, program('yarn@1', { command: 'yarn' })],
    add: (names, scripts) => ['add', ...(scripts ? [] : ['--ignore-scripts']), ...names],
    frozen: (scripts) => ['install', '--frozen-lockfile', ...(scripts ? [] : ['--ignore-scripts'])],
    locks: ['yarn.lock'],
    sameEverywhere: true,
    // Yarn asks a registry of its own for some packages, whatever the environment says.
    settings: (address) => ({ '.npmrc': `registry=${address}/\n`, '.yarnrc': `registry "${address}/"\n` }),
    environment: (place) => ({ YARN_CACHE_FOLDER: join(place, 'yarn-cache') }),
  },
  'yarn@4': yarn4('node-modules'),
  'yarn@4 pnp': yarn4('pnp'),
  bun: {
    command: () => [program(`@oven/bun-${process.platform}-${process.arch}`, { file: 'bin/bun' })],
    add: (names, scripts) => ['add', scripts ? '--trust' : '--ignore-scripts', ...names],
    frozen: (scripts) => ['install', '--frozen-lockfile', ...(scripts ? [] : ['--ignore-scripts'])],
    locks: ['bun.lock'],
    elsewhere: asOptions,
    settings: (address) => ({ 'bunfig.toml': `[install]\nregistry = "${address}/"\n` }),
    environment: (place) => ({ BUN_INSTALL_CACHE_DIR: join(place, 'bun-cache') }),
  },
};

const withScripts = / with scripts$/;

/**
 * One way of `--managers`: "pnpm" or "pnpm with scripts".
 * @throws Error when there is no such manager
 */
export function wayOf(name) {
  const manager = managers[name.replace(withScripts, '')];
  if (!manager)
    throw new Error(
      `Expected one of ${Object.keys(managers).join(', ')}, each also "... with scripts", but got ${name}`,
    );
  return { ...manager, scripts: withScripts.test(name) };
}

/** Every manager, without scripts and with them. */
export const everyWay = () => Object.keys(managers).flatMap((name) => [name, `${name} with scripts`]);

/** Makes an empty project that this manager finds the registry in. */
export function makeProject(folder, way, address, system) {
  mkdirSync(folder, { recursive: true });
  const files = {
    'package.json': '{"name":"x","version":"1.0.0","private":true,"type":"module"}',
    ...way.settings(address, way.scripts, system),
    // Else Yarn takes a folder above for the project.
    ...(way.locks[0] === 'yarn.lock' && { 'yarn.lock': '' }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
