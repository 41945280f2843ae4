// Which test files may share processes: starting one for each file, and loading the sources anew, costs 0.2 to 0.4 s of
// processor time. Chosen by what a file says, so that a file that begins to touch its process gets one of its own.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Folders whose tests call functions of their own process, also whole services, or only start commands and look at what
 * they print; the others look at processes.
 */
const folders = [
  ...['core', 'pcm', 'kernels', 'models', 'media', 'dsp', 'speech', 'edit', 'waveform', 'tools'].map(
    (room) => `library/${room}`,
  ),
  ...['rules', 'adapters', 'http'].map((room) => `service/${room}`),
  'bench',
  'cli',
  'client',
  'conformance',
  'docs',
  'lint',
  'release',
].join();

/**
 * Changes of the environment, stand-ins for modules and globals, listeners, the working folder, and what a process
 * takes of memory. The environment may be read, and handed on to a command.
 */
const touchesProcess =
  /process\.env(?:\[[^\]]+\])?\s*(?:=(?!=)|\?\?=)|delete process\.env|assign\(process\.env|process\.(?:on|once|off|emit|exit|chdir|umask|title)\b|\bvi\.(?!fn\b)|\bglobalThis\b|memoryUsage|resourceUsage|\/proc\/(?:self|\$)|\bgc\(/u;

/**
 * What shares processes with each other: all that a process has loaded stays, so that one for all of them would have a
 * heap that takes seconds to mark, and a memory that takes long to fork.
 */
const rooms: readonly (readonly [name: string, folders: RegExp])[] = [
  ['services', /^test\/service\/http\//u],
  ['tools', /^test\/library\/tools\//u],
  ['media', /^test\/library\/media\//u],
  ['sound', /^test\/library\//u],
  ['rules', /^test\/service\//u],
  ['commands', /^/u],
];

/** Their paths, from the root of the repository, by room. */
export function filesThatShare(root: string): ReadonlyMap<string, string[]> {
  const files = globSync(`test/{${folders}}/**/*.test.ts`, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !touchesProcess.test(readFileSync(join(root, file), 'utf8')))
    .toSorted();
  const roomOf = (file: string): string | undefined => rooms.find(([, these]) => these.test(file))?.[0];
  return new Map(rooms.map(([name]) => [name, files.filter((file) => roomOf(file) === name)]));
}
