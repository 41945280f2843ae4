// Wine, in which test-windows.mjs runs: that of this system, or that of a Debian 13 in a folder.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Wine 8 cannot start Node 24. */
const oldest = 10;
const packages = 'wine wine64';
const must = (command, args) => {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `status ${status}`}`);
};

/** Runs a shell's line in a tree, with what Wine needs of /proc and /dev mounted for as long as it runs. */
const inTree = (root, line) => [
  'unshare',
  '--mount',
  '--propagation',
  'private',
  'sh',
  '-c',
  `mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" sh -c "$2"`,
  'sh',
  root,
  line,
];

/** Makes a Debian 13 with Wine, unless it is there. */
function makeTree(root) {
  if (existsSync(join(root, 'usr/bin/wine'))) return;
  if (process.getuid?.() !== 0)
    throw new Error(`Only root can make a Debian in ${root}: sudo npm run test:windows -- ...`);
  if (spawnSync('debootstrap', ['--version']).status !== 0)
    throw new Error('Expected debootstrap: apt-get install debootstrap debian-archive-keyring');
  if (!existsSync(join(root, 'etc/debian_version'))) must('debootstrap', ['--variant=minbase', 'trixie', root]);
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  const [command, ...args] = inTree(
    root,
    'export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && apt-get install -y -qq ' +
      `--no-install-recommends ${packages}`,
  );
  must(command, args);
}

/**
 * Programs of Windows that use AMX where the processor has it (ONNX Runtime's) need the leave that Linux wants.
 * @returns what is to be preloaded; null: nothing
 */
function amxLeave(place) {
  if (!/\bamx_tile\b/.test(readFileSync('/proc/cpuinfo', 'utf8'))) return null;
  const out = join(place, 'allow-amx.so');
  const source = fileURLToPath(new URL('../../test/fixtures/systems/allow-amx.c', import.meta.url));
  must('cc', ['-shared', '-fPIC', '-O1', '-o', out, source]);
  return out;
}

/**
 * @param root a folder with a Debian 13, made when it is not there; null: this system's own Wine
 * @returns where files must lie for it, and how programs are run in it
 * @throws Error that says what to install
 */
export function findWine(root) {
  if (root !== null) makeTree(root);
  const shell = (line) => (root === null ? ['sh', '-c', line] : inTree(root, line));
  const [command, ...args] = shell('LC_ALL=C.UTF-8 wine --version');
  const { stdout } = spawnSync(command, args, { encoding: 'utf8' });
  const version = Number(/wine-(\d+)/.exec(stdout ?? '')?.[1] ?? 0);
  if (version < oldest)
    throw new Error(
      `Expected Wine ${oldest} or newer but found ${version === 0 ? 'none' : `Wine ${version}`}. On Debian 13:\n` +
        `  apt-get install --no-install-recommends ${packages}\n` +
        'elsewhere, as root, in a Debian 13 that is made in a folder (1.5 GB):\n' +
        '  apt-get install debootstrap debian-archive-keyring && npm run test:windows -- --root /var/lib/earshot-wine',
    );
  return {
    version: stdout.trim(),
    folder: root === null ? null : join(root, 'tmp'),
    /**
     * Runs a line of a shell in a folder, with a Windows of its own in `place`. Standard streams are files: Wine's
     * consoles do not pass through pipes.
     * @returns its exit status; null: it was ended after `seconds`
     */
    run(line, { cwd, place, seconds, output }) {
      const inside = (path) => (root === null ? path : `/${relative(root, path)}`);
      mkdirSync(join(place, 'home'), { recursive: true });
      const preload = amxLeave(place);
      const environment = [
        `HOME='${inside(join(place, 'home'))}'`,
        `XDG_RUNTIME_DIR='${inside(place)}'`,
        'LC_ALL=C.UTF-8 PATH=/usr/lib/wine:/usr/bin:/bin WINEDEBUG=-all',
        ...(preload === null ? [] : [`LD_PRELOAD='${inside(preload)}'`]),
      ].join(' ');
      const [program, ...rest] = shell(
        `cd '${inside(cwd)}' && env -i ${environment} ${line} </dev/null >'${inside(output)}' 2>&1; status=$?; ` +
          // What it leaves running would hold the folder.
          `env -i ${environment} wineserver -k; exit $status`,
      );
      return new Promise((done, fail) => {
        const child = spawn(program, rest, { stdio: 'ignore', detached: true });
        const timer = setTimeout(() => {
          // The group: the shell and all that it started.
          if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        }, seconds * 1000);
        child.once('error', fail);
        child.once('exit', (status) => {
          clearTimeout(timer);
          done(status);
        });
      });
    },
  };
}
