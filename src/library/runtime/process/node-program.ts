// Which program job processes run on: always a Node. An app compiled into one executable would start itself again,
// which would start another, and so on.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { EarshotError } from '../../core/errors/errors.ts';
import { lacking } from '../../core/errors/machine-lacks.ts';
import { missingPartSaid } from '../../core/native-files.ts';
import { badValue } from '../../core/checks/schema.ts';
import { jobEnvironment } from '../confine/environment.ts';
import { type FromJob, jobMark } from '../channel/protocol.ts';
import type { ProcessEnd } from './start-process.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface NodeProgram {
  /** Absolute. */
  readonly path: string;
  /** What makes it act as a Node, where it is something else as well. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where it was set, for messages: "nodePath", "EARSHOT_NODE"; null: the Node of this process. */
  readonly namedBy: string | null;
}

/** The facts about this process that matter here. */
export interface HostProcess {
  readonly execPath: string;
  readonly versions: Readonly<Record<string, string | undefined>>;
  /** Is it an app compiled into one executable? */
  readonly isCompiled: boolean;
}

const oldest = [22, 12] as const;
const wanted = `Node ${oldest.join('.')} or newer`;
const nextAction = `Set EARSHOT_NODE, or \`nodePath\` of createEngine, to the path of a ${wanted} (docs/installing.md).`;

function isFreshEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/** Older Nodes and other runtimes lack some of these. */
function thisProcess(): HostProcess {
  const sea = process.getBuiltinModule?.('node:sea') as { isSea?(): boolean } | undefined;
  return {
    execPath: process.execPath,
    versions: process.versions,
    isCompiled: 'pkg' in process || sea?.isSea?.() === true,
  };
}

/** What this process is, if job processes cannot run on its program; null: they can. */
function otherKind({ versions, isCompiled }: HostProcess): string | null {
  for (const [name, title] of [
    ['bun', 'Bun'],
    ['deno', 'Deno'],
    ['nw', 'NW.js'],
  ] as const)
    if (versions[name]) return `${title} ${versions[name]}`;
  return isCompiled ? 'an app compiled into one executable' : null;
}

/**
 * The program for job processes: the configured one, else this process's own Node, also inside Electron, else `node` on
 * PATH.
 * @param given the engine's `nodePath`; default: EARSHOT_NODE
 * @throws EarshotError bad_request when the configured one is not a program; tool_unavailable when there is none
 */
export function nodeProgram(
  given?: string,
  environment: Environment = process.env,
  host: HostProcess = thisProcess(),
): NodeProgram {
  const named = given ?? (environment['EARSHOT_NODE'] || undefined);
  if (named !== undefined) {
    const namedBy = given === undefined ? 'EARSHOT_NODE' : 'nodePath';
    const path = resolve(named);
    if (!isProgram(path)) throw badValue(namedBy, `the path of a ${wanted}`, named);
    return { path, environment: path === host.execPath ? asNode(host) : {}, namedBy };
  }
  const kind = otherKind(host);
  if (kind !== null) return { path: nodeOnPath(kind, environment), environment: {}, namedBy: 'node of PATH' };
  const { electron } = host.versions;
  return {
    path: host.execPath,
    environment: asNode(host),
    namedBy: electron ? `Electron ${electron}` : null,
  };
}

/** Electron can act as Node unless the app was built without that (its fuse RunAsNode). */
const asNode = ({ versions }: HostProcess): Record<string, string> =>
  versions['electron'] ? { ELECTRON_RUN_AS_NODE: '1' } : {};

/** What it reads besides what Node does: Electron's libraries, snapshot and data are beside its program. */
export const besideProgram = ({ path, environment }: NodeProgram): readonly string[] =>
  'ELECTRON_RUN_AS_NODE' in environment ? [dirname(path)] : [];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** By PATH: looked up once. */
const found = new Map<string, string>();

/** Finds a real `node` on PATH: version managers put scripts there, and Bun puts itself. */
function nodeOnPath(kind: string, environment: Environment): string {
  const path = environment['PATH'] ?? environment['Path'] ?? '';
  const known = found.get(path);
  if (known !== undefined) return known;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const refused: string[] = [];
  for (const folder of new Set(path.split(delimiter))) {
    if (folder === '' || !isProgram(join(folder, file))) continue;
    const answer = askProgram(join(folder, file));
    if (typeof answer !== 'string') {
      found.set(path, answer.path);
      return answer.path;
    }
    refused.push(answer);
  }
  throw new EarshotError(
    'tool_unavailable',
    `Job processes need ${wanted}. This process is ${kind}, and PATH has ` +
      (refused.length === 0 ? 'no node' : `only ${refused.join(', ')}`),
    { nextAction, details: lacking('process') },
  );
}

const question = 'JSON.stringify({ path: process.execPath, versions: process.versions })';

/** @returns the path of the program itself; or, in words, what it is instead of a Node */
function askProgram(program: string): { readonly path: string } | string {
  try {
    const said = execFileSync(program, ['-p', question], {
      encoding: 'utf8',
      env: { ...jobEnvironment(), ...jobMark },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 30_000,
      windowsHide: true,
    });
    const { path, versions } = JSON.parse(said) as Pick<HostProcess, 'versions'> & { readonly path: string };
    const kind = otherKind({ execPath: path, versions, isCompiled: false });
    if (kind !== null) return kind;
    return isFreshEnough(versions['node'] ?? '') ? { path } : `Node ${versions['node']}`;
  } catch {
    return 'a node that does not run';
  }
}

/**
 * How long an unverified program may take to identify itself as Node. An app that was started again may open a window
 * and wait.
 */
export const greetingMilliseconds = 30_000;

/** The first message of a program, see `FromJob`. */
export type Greeting = Extract<FromJob, { type: 'ready' }>;

/**
 * What is wrong with a program that was started as Node; null: nothing known.
 * @param heard its first message; null: none came
 * @param end how it ended; 'silent': it runs, and the time for a greeting is over; null: it may still answer
 */
export function notANode(
  { path, namedBy }: NodeProgram,
  heard: Greeting | null,
  end: ProcessEnd | 'silent' | null,
  stderrTail: string,
): EarshotError | null {
  // For this process's own program, only a clean exit without a message proves that it is not a Node.
  if (namedBy === null && (heard !== null || end === null || end === 'silent' || end.exitCode === null)) return null;
  const missing = heard === null ? missingPartSaid(stderrTail) : null;
  if (missing !== null)
    return new EarshotError('tool_unavailable', missing.message, {
      nextAction: missing.nextAction,
      details: { stderrTail, ...lacking('installation') },
    });
  let how: string;
  if (heard !== null) {
    if (heard.runtime === 'node' && isFreshEnough(heard.version)) return null;
    how = `is ${heard.runtime} ${heard.version}`;
  } else if (end === null) return null;
  else if (end === 'silent') how = `does not answer as Node within ${greetingMilliseconds / 1000} s`;
  else how = `ends with ${end.signal ?? `exit code ${end.exitCode}`} before it answers as Node`;
  const said = heard === null ? lastComplaint(stderrTail) : undefined;
  const hint =
    heard === null && namedBy?.startsWith('Electron') === true
      ? '. An app without the fuse RunAsNode cannot act as Node'
      : '';
  return new EarshotError(
    'tool_unavailable',
    `Job processes need ${wanted}, but ${basename(path)} (${namedBy ?? 'the program of this process'}) ${how}` +
      `${said === undefined ? '' : `: "${said.slice(0, 300)}"`}${hint}`,
    { nextAction, details: { stderrTail, ...lacking('process') } },
  );
}

const lastComplaint = (text: string): string | undefined =>
  text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => /error|needs|expected|cannot|no such|not /i.test(line));

/**
 * Refuses to create an engine in a job process: that happens when an app was started in place of Node.
 * @throws EarshotError tool_unavailable
 */
export function refuseInJob(environment: Environment = process.env): void {
  const [name] = Object.keys(jobMark);
  if (name === undefined || !environment[name]) return;
  throw new EarshotError(
    'tool_unavailable',
    `Earshot started ${basename(process.execPath)} as a job process, but it is not Node: it runs this app again`,
    { nextAction },
  );
}
