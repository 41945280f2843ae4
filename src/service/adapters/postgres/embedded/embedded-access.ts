import { randomBytes } from 'node:crypto';
import { chown, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { flushFile } from '../../../../library/core/files/flush-folder.ts';
import { renameFile } from '../../../../library/core/files/rename-file.ts';
import { lockAccess } from '../../advisory-locks.ts';

/** The address of a server. */
export interface Address {
  /** Folder of its unix socket. null on Windows, where Node supports none: then it listens on 127.0.0.1. */
  readonly socketDir: string | null;
  readonly port: number;
}
/** Created with the cluster: a superuser that owns the tables and runs migrations. */
export const ownerRole = 'earshot';
/** The service's role: owns nothing. */
const serviceRole = 'earshot_service';
const databaseName = 'earshot';

/** Passwords of both roles. They are in the data folder, so that a copy of it is complete. */
export interface RolePasswords {
  readonly owner: string;
  readonly service: string;
}

const passwordFile = 'earshot-roles.json';
const accessFile = 'pg_hba.conf';

/** Only our two roles may connect, with their passwords, over the socket or the loopback port. */
const accessRules = (overSocket: boolean): string =>
  `# Written by Earshot at every start. The passwords are in ${passwordFile} beside this file.
${overSocket ? `local all ${ownerRole},${serviceRole}` : `host all ${ownerRole},${serviceRole} 127.0.0.1/32`} scram-sha-256
`;
/** While passwords are renewed. Only for sockets, whose folder is private; a port is not. */
const openRules = `# Written by Earshot: new passwords are being made.
local all ${ownerRole} trust
`;

export const newPasswords = (): RolePasswords => ({
  owner: randomBytes(24).toString('base64url'),
  service: randomBytes(24).toString('base64url'),
});

/** null: a data folder of an older version, or the file is lost. */
export async function readPasswords(dataDir: string): Promise<RolePasswords | null> {
  const text = await readFile(join(dataDir, passwordFile), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const { owner, service } = JSON.parse(text) as Partial<RolePasswords>;
    return typeof owner === 'string' && typeof service === 'string' ? { owner, service } : null;
  } catch {
    return null;
  }
}

/** Writes both files of a folder without a running server. */
export async function writeAccess(dataDir: string, passwords: RolePasswords, overSocket: boolean): Promise<void> {
  await writePrivate(dataDir, passwordFile, JSON.stringify(passwords));
  await writePrivate(dataDir, accessFile, accessRules(overSocket));
}

/** Writes a file atomically, owned by the folder's owner. */
async function writePrivate(dataDir: string, name: string, text: string): Promise<void> {
  const { uid, gid } = await stat(dataDir);
  const growing = join(dataDir, `${name}.${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    const file = await open(growing, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await flushFile(file);
    } finally {
      await file.close();
    }
    if (process.getuid?.() === 0) await chown(growing, uid, gid);
    await renameFile(growing, join(dataDir, name));
  } finally {
    await rm(growing, { force: true });
  }
}

/** The addresses of one database for its two roles. */
export interface DatabaseUrls {
  /** With the service's role, which may only read and change rows. */
  readonly url: string;
  /** The same without a pooler. Default: `url`. */
  readonly directUrl?: string;
  /** With the role that owns the tables, for migrations only. */
  readonly ownerUrl: string;
}

const urlsOf = (address: Address, { owner, service }: RolePasswords): DatabaseUrls => ({
  url: connectionUrl(address, databaseName, serviceRole, service),
  ownerUrl: connectionUrl(address, databaseName, ownerRole, owner),
});

function connectionUrl({ socketDir, port }: Address, database: string, role: string, password: string | null): string {
  const credentials = password === null ? role : `${role}:${encodeURIComponent(password)}`;
  return socketDir === null
    ? `postgresql://${credentials}@127.0.0.1:${port}/${database}`
    : `postgresql://${credentials}@localhost:${port}/${database}?host=${encodeURIComponent(socketDir)}`;
}

/** A connection as the owner, to the database 'postgres'. */
export function ownerClient(address: Address, passwords: RolePasswords | null): pg.Client {
  const client = new pg.Client({
    connectionString: connectionUrl(address, 'postgres', ownerRole, passwords?.owner ?? null),
    connectionTimeoutMillis: 5000,
    application_name: 'earshot-owner',
  });
  client.on('error', () => {});
  return client;
}

/** Did the server refuse the credentials? pg throws by itself when the server requires a missing password. */
export function isRefusal(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === '28P01' || code === '28000' || (typeof message === 'string' && /password must be a/.test(message));
}

/** A running server. */
interface Running {
  readonly dataDir: string;
  readonly address: Address;
  /** Reloads its access rules. */
  reload(): Promise<void>;
}

/**
 * Ensures that the running server has our database and both roles, and refuses all others. Data folders of older
 * versions without passwords, and those with a lost password file, get new passwords.
 */
export async function ensureAccess(running: Running): Promise<DatabaseUrls> {
  const { dataDir, address } = running;
  const rules = accessRules(address.socketDir !== null);
  const client = await connectAsOwner(running);
  try {
    await client.query(lockAccess);
    // Under other rules the connection did not need the file's passwords: they may be wrong.
    let passwords = (await rulesOf(dataDir)) === rules ? await readPasswords(dataDir) : null;
    passwords ??= await renewPasswords(client, dataDir);
    await ensureService(client, passwords);
    await ensureDatabase(client);
    await setRules(running, rules);
    return urlsOf(address, passwords);
  } finally {
    await client.end();
  }
}

async function connectAsOwner(running: Running): Promise<pg.Client> {
  const { dataDir, address } = running;
  const deadline = performance.now() + 10_000;
  for (;;) {
    // Without a password file, the rules of older versions allow a connection without a password.
    const passwords = await readPasswords(dataDir);
    const client = ownerClient(address, passwords);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      // Opening a port would let all local users connect meanwhile.
      const mayOpen = address.socketDir !== null;
      if (!isRefusal(error) || !mayOpen || performance.now() > deadline)
        throw new EarshotError('internal_error', `The database in ${dataDir} refuses the password of its owner`, {
          cause: error,
          nextAction:
            (mayOpen ? '' : `Its passwords are in ${join(dataDir, passwordFile)}: restore this file from a backup. `) +
            `Read the newest file in ${join(dataDir, 'log')}.`,
        });
    }
    // Unless another process has just renewed them. This folder gives access to the data anyway.
    if ((await readPasswords(dataDir))?.owner === passwords?.owner) await setRules(running, openRules);
    await sleep(50);
  }
}

/** Changes the roles before the file, so that the file is always valid. */
async function renewPasswords(client: pg.Client, dataDir: string): Promise<RolePasswords> {
  const passwords = newPasswords();
  await beginQuietly(client);
  await client.query(`alter role ${ownerRole} password ${client.escapeLiteral(passwords.owner)}`);
  if (await hasService(client))
    await client.query(`alter role ${serviceRole} password ${client.escapeLiteral(passwords.service)}`);
  await client.query('commit');
  await writePrivate(dataDir, passwordFile, JSON.stringify(passwords));
  return passwords;
}

/** Begins a transaction that sets passwords. */
async function beginQuietly(client: pg.Client): Promise<void> {
  await client.query('begin');
  // Failed statements would be logged by the server with the passwords.
  await client.query("set local log_min_error_statement = 'panic'");
  // 192 random bits need no slow hash; the default of 4096 rounds would slow down every connection.
  await client.query('set local scram_iterations = 1');
}

async function hasService(client: pg.Client): Promise<boolean> {
  return ((await client.query('select from pg_roles where rolname = $1', [serviceRole])).rowCount ?? 0) > 0;
}

async function ensureService(client: pg.Client, { service }: RolePasswords): Promise<void> {
  if (await hasService(client)) return;
  await beginQuietly(client);
  for (const statement of newServiceRole(serviceRole, service)) await client.query(statement);
  await client.query('commit');
}

/** Statements that create a role which may only connect; other rights must be granted. */
export function newServiceRole(name: string, password: string): readonly string[] {
  const role = pg.escapeIdentifier(name);
  return [
    `create role ${role} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls noinherit ` +
      `password ${pg.escapeLiteral(password)}`,
    // No request waits for this long.
    `alter role ${role} set statement_timeout = '60s'`,
    `alter role ${role} set idle_in_transaction_session_timeout = '60s'`,
  ];
}

async function ensureDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName]);
  if (rowCount === 0) await client.query(`create database ${databaseName}`);
  await client.query(`revoke temporary, create on database ${databaseName} from public`);
}

const rulesOf = (dataDir: string): Promise<string> => readFile(join(dataDir, accessFile), 'utf8').catch(() => '');

async function setRules({ dataDir, reload }: Running, rules: string): Promise<void> {
  if ((await rulesOf(dataDir)) === rules) return;
  await writePrivate(dataDir, accessFile, rules);
  await reload();
}

/** Are there other client connections? */
export async function othersConnected(dataDir: string, address: Address): Promise<boolean> {
  const client = ownerClient(address, await readPasswords(dataDir));
  try {
    await client.connect();
    const { rows } = await client.query<{ others: boolean }>(
      "select exists (select from pg_stat_activity where backend_type = 'client backend' " +
        'and pid <> pg_backend_pid()) as others',
    );
    return rows[0]?.others ?? false;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
