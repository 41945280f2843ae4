// `npm run test:python`: the client in clients/python, as a person would install it. For every Python of 3.11 and newer
// on this machine: builds wheel and sdist, installs the wheel into a new environment, and runs ruff, mypy --strict and
// pytest, which starts a real service and kills it. `npm run test:python -- 3.11 -k uploads` tries one version, and
// hands what follows to pytest. Ends with 1 when something fails, and says which versions are not here.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const client = join(root, 'clients/python');
/** Tools of the tests, at the versions that they were written with. */
const tools = ['build==1.6.1', 'mypy==2.4.1', 'pytest==9.2.0', 'ruff==0.17.6', 'numpy', 'soundfile'];
const versions = ['3.11', '3.12', '3.13', '3.14'];

const [first = '', ...others] = process.argv.slice(2);
const wanted = versions.includes(first) ? [first] : versions;
const forPytest = versions.includes(first) ? others : process.argv.slice(2);

const run = (command, args, cwd = client) =>
  spawnSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;

/** A program of that version, by what it says itself: a stand-in may answer for versions that are not installed. */
function pythonOf(version) {
  const names = [`python${version}`, 'python3', 'python'];
  return names.find((name) => {
    const said = spawnSync(name, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], { encoding: 'utf8' });
    return said.status === 0 && said.stdout.trim() === version;
  });
}

const work = mkdtempSync(join(tmpdir(), 'earshot-python-'));

function tryVersion(version, python) {
  const environment = join(work, version);
  const own = join(environment, process.platform === 'win32' ? 'Scripts' : 'bin', 'python');
  const packages = join(work, `packages-${version}`);
  const steps = [
    () => run(python, ['-m', 'venv', environment]),
    () => run(own, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...tools]),
    // The wheel is built from the sdist, so that both are whole.
    () => run(own, ['-m', 'build', '--outdir', packages, '.']),
    () => run(own, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', join(packages, wheelIn(packages))]),
    () => run(own, ['-m', 'ruff', 'check']) && run(own, ['-m', 'ruff', 'format', '--check']),
    () => run(own, ['-m', 'mypy']),
    () => run(own, ['-m', 'pytest', '-q', ...forPytest]),
  ];
  return steps.every((step) => step());
}

const wheelIn = (folder) => readdirSync(folder).find((name) => name.endsWith('.whl')) ?? 'no wheel was built';

try {
  let tried = 0;
  for (const version of wanted) {
    const python = pythonOf(version);
    if (python === undefined) {
      console.log(`Python ${version}: not on this machine, skipped`);
      continue;
    }
    tried += 1;
    const passed = tryVersion(version, python);
    console.log(`Python ${version}: ${passed ? 'passed' : 'FAILED'}`);
    if (!passed) process.exitCode = 1;
  }
  if (tried === 0) {
    console.error('Expected a Python of 3.11 or newer, but there is none');
    process.exitCode = 1;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
