// How our scripts start npm. On Windows it is npm.cmd, which Node starts by a shell alone, where spaces in paths part
// words: there npm's own program is given to Node.
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const program = join('node_modules', 'npm', 'bin', 'npm-cli.js');

/**
 * The command, to be followed by arguments.
 * @param ways for tests: another system's
 * @throws Error when npm is nowhere
 */
export function npmCommand({
  system = process.platform,
  node = process.execPath,
  environment = process.env,
  exists = existsSync,
} = {}) {
  if (system !== 'win32') return ['npm'];
  // npm tells its scripts where it is itself; other managers name themselves there.
  const told = environment.npm_execpath?.endsWith('npm-cli.js') ? [environment.npm_execpath] : [];
  const folders = [dirname(node), ...(environment.PATH ?? environment.Path ?? '').split(delimiter)];
  const found = [...told, ...folders.map((folder) => join(folder, program))].find((path) => exists(path));
  if (!found) throw new Error(`Expected npm beside Node or in PATH but found none: ${folders.join(delimiter)}`);
  return [node, found];
}
