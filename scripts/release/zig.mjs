// Zig's Clang and its linkers, of the one version that the tests and the figures of speed are of.
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const zigVersion = '0.15.2';

let found;

/** The command that starts it: $EARSHOT_ZIG, `zig`, or Python's package ziglang. */
function zig() {
  if (found) return found;
  const candidates = process.env.EARSHOT_ZIG ? [[process.env.EARSHOT_ZIG]] : [['zig'], ['python3', '-m', 'ziglang']];
  const versions = candidates.map(([command, ...args]) => {
    const { status, stdout } = spawnSync(command, [...args, 'version'], { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : 'none';
  });
  found = candidates[versions.indexOf(zigVersion)];
  if (!found)
    throw new Error(
      `Expected zig ${zigVersion} but found ${versions.join(', ')}: ` +
        `python3 -m pip install ziglang==${zigVersion}, or its path in EARSHOT_ZIG`,
    );
  return found;
}

/**
 * @param args "c++", "-c", ...
 * @param {{ cwd: string, env?: Record<string, string> }} options
 * @returns what it printed
 * @throws Error with what it said when it ends with another status than 0
 */
export async function runZig(args, { cwd, env = {} }) {
  const [command, ...first] = zig();
  return runProgram(command, [...first, ...args], { cwd, env });
}

/** {@link runZig} with another program. */
export async function runProgram(command, args, { cwd, env = {} }) {
  const run = promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 });
  const { stdout, stderr } = await run.catch((failure) => {
    throw new Error(`${command} ${args.slice(0, 3).join(' ')} ... failed (${failure.code}):\n${failure.stderr}`);
  });
  return stdout + stderr;
}

/** Where its own libraries and headers are. */
export async function zigLibraries(cwd) {
  // Zon, not JSON: `.lib_dir = "/...",`
  const said = await runZig(['env'], { cwd });
  const [, folder] = /lib_dir"?\s*[=:]\s*"([^"]+)"/.exec(said) ?? [];
  if (!folder) throw new Error(`zig env names no lib_dir: ${said}`);
  return JSON.parse(`"${folder}"`);
}
