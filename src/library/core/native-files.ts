import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { outsideArchive, packagePath } from './running-files.ts';

/** This system as our packages name it: "linux-x64". */
export const systemName = `${process.platform}-${process.arch}`;

/**
 * The path of one of our native files: built in this checkout or installation, or in the package for this system
 * (`earshot-linux-x64`), which package managers choose by system and C library.
 * @param name "earshot.node"
 * @param system "wasm32": of the package that any system may have
 * @returns null where there is none
 */
export function nativeFile(name: string, system = systemName): string | null {
  const built = packagePath(join('prebuilt', name));
  if (existsSync(built)) return built;
  try {
    const { resolve } = createRequire(import.meta.url);
    const path = outsideArchive(join(dirname(resolve(`earshot-${system}/package.json`)), name));
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

/** Systems with builds of our packages and of node-av's FFmpeg libraries. */
const publishedSystems = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64'];

/**
 * How to install missing packages.
 * @param orElse advice for a system without builds
 */
export const installAgain = (orElse: string): string =>
  publishedSystems.includes(systemName)
    ? 'Run `npm install --include=optional` in the project, on the system that it runs on: a node_modules folder ' +
      'that was made with --omit=optional, or on another system, lacks packages (docs/installing.md).'
    : orElse;

const noSuchSystem = `Use another system: ${publishedSystems.join(', ')}.`;

/**
 * Why code did not load, if a package or a file of ours is missing or made for another system.
 * @returns null for any other reason
 */
export function missingPart(thrown: unknown): { readonly message: string; readonly nextAction: string } | null {
  if (!(thrown instanceof Error)) return null;
  const { message, code } = thrown as NodeJS.ErrnoException;
  if (message.startsWith('Could not load the node-av native binding'))
    return message.includes('Cannot find ')
      ? { message: `FFmpeg's libraries for ${systemName} are not installed`, nextAction: installAgain(noSuchSystem) }
      : {
          message: `FFmpeg's libraries do not load on this system: ${complaintOfLoader(message)}`,
          nextAction: 'Compare this system with those of docs/installing.md.',
        };
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return null;
  const [, name = ''] = /^Cannot find (?:module|package) '([^']+)'/.exec(message) ?? [];
  const isFile = isAbsolute(name) || name.startsWith('.') || name.startsWith('file:');
  return {
    message: isFile
      ? `The file ${basename(name)} of Earshot is missing`
      : `The package ${name}, which Earshot needs, is not installed`,
    nextAction:
      'Run `npm install` in the project. A packaging tool must include the whole package (docs/installing.md).',
  };
}

/**
 * The same for a process that only left an uncaught error on its stderr.
 * @param text the end of its stderr
 */
export function missingPartSaid(text: string): ReturnType<typeof missingPart> {
  const start = /^Error(?: \[ERR_MODULE_NOT_FOUND\])?: (?=(?:Could not|Cannot) )/m.exec(text);
  const message =
    start === null ? '' : (text.slice(start.index + start[0].length).split('\n    at ', 1)[0] ?? '').trimEnd();
  const code = /ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND/.exec(text)?.[0];
  return missingPart(Object.assign(new Error(message), { code }));
}

/** The loader's final message, without a server's path. */
const complaintOfLoader = (message: string): string =>
  (message.trim().split('\n').at(-1) ?? '').replace(/^.*?Error: /, '').replace(/\S+/g, withoutFolders);

function withoutFolders(word: string): string {
  const start = word.search(/[A-Z]:|\//);
  const end = Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\'));
  return start >= 0 && end > start ? word.slice(0, start) + word.slice(end + 1) : word;
}
