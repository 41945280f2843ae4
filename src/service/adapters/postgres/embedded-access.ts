import { randomBytes } from 'node:crypto';
import { chown, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EarshotError } from '../../../library/core/errors.ts';
import { flushFile } from '../../../library/core/flush-folder.ts';
import { renameFile } from '../../../library/core/rename-file.ts';

/** Where a server is reached. */
export interface Address {
  /** Of its unix socket. null where Node speaks none (Windows): then the port is one of 127.0.0.1. */
  readonly socketDir: string | null;
  readonly port: number;
}
/** Made with the cluster: owns the tables, brings them up to date, and is what the server calls a superuser. */
export const ownerRole = 'earshot';
/** What the service works as: owns nothing. */
const serviceRole = 'earshot_service';
const databaseName = 'earshot';

/** Passwords of both roles. They lie in the data folder, so that a copy of it is whole. */
export interface RolePasswords {
  readonly owner: string;
  readonly service: string;
}

const passwordFile = 'earshot-roles.json';
const accessFile = 'pg_hba.conf';

/** Who may connect: our two roles with their passwords, in the one way that there is. Everybody else is refused. */
const accessRules = (overSocket: boolean): string =>
  `# Written by Earshot at every start. The passwords are in ${passwordFile} beside this file.
${overSocket ? `local all ${ownerRole},${serviceRole}` : `host all ${ownerRole},${serviceRole} 127.0.0.1/32`} scram-sha-256
`;
/** While passwords are being made; the socket's folder is this user's alone, which no port is. */
const openRules = `# Written by Earshot: new passwords are being made.
local all ${ownerRole} trust
`;

export const newPasswords = (): RolePasswords => ({
  owner: randomBytes(24).toString('base64url'),
  service: randomBytes(24).toString('base64url'),
});

/** null: the folder is of a version that had none, or the file is lost. */
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

/** Both files of a folder that no server runs on yet. */
export async function writeAccess(dataDir: string, passwords: RolePasswords, overSocket: boolean): Promise<void> {
  await writePrivate(dataDir, passwordFile, JSON.stringify(passwords));
  await writePrivate(dataDir, accessFile, accessRules(overSocket));
}

/** Whole or not at all, and like the folder the server user's own. */
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

/** What pg, Kysely and pg-boss connect with. */
export interface DatabaseUrls {
  /** For the service: reads and changes rows, and nothing else. */
  readonly url: string;
  /** By the role that owns the tables and may change them: for migrations alone. */
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

/** One connection of the owner's, beside any database of ours. */
export function ownerClient(address: Address, passwords: RolePasswords | null): pg.Client {
  const client = new pg.Client({
    connectionString: connectionUrl(address, 'postgres', ownerRole, passwords?.owner ?? null),
    connectionTimeoutMillis: 5000,
    application_name: 'earshot-owner',
  });
  client.on('error', () => {});
  return client;
}

/** Did the server answer, and refuse these credentials? pg says so itself where the server asks for a missing password. */
export function isRefusal(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === '28P01' || code === '28000' || (typeof message === 'string' && /password must be a/.test(message));
}

/** One process at a time makes roles and passwords. */
const accessLock = 'select pg_advisory_lock(7305541)';

/** A running server. */
interface Running {
  readonly dataDir: string;
  readonly address: Address;
  /** Makes it read its rules again. */
  reload(): Promise<void>;
}

/**
 * Sees to it that the running server has our database and both roles, and lets nobody else in. A folder of an earlier
 * version, which let this user in as the owner without a password, and one whose passwords are lost get new ones.
 */
export async function ensureAccess(running: Running): Promise<DatabaseUrls> {
  const { dataDir, address } = running;
  const rules = accessRules(address.socketDir !== null);
  const client = await connectAsOwner(running);
  try {
    await client.query(accessLock);
    // Under other rules anybody came in: what the file says has proved nothing.
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
    // With the passwords of the file; without one, as an earlier version's folder allows.
    const passwords = await readPasswords(dataDir);
    const client = ownerClient(address, passwords);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      // At a port anybody on this machine would come in meanwhile.
      const mayOpen = address.socketDir !== null;
      if (!isRefusal(error) || !mayOpen || performance.now() > deadline)
        throw new EarshotError('internal_error', `The database in ${dataDir} refuses its own owner`, {
          cause: error,
          nextAction:
            (mayOpen ? '' : `Its passwords are in ${join(dataDir, passwordFile)}: bring back the one of a backup. `) +
            `Read the newest file in ${join(dataDir, 'log')}.`,
        });
    }
    // Unless somebody else has just made new ones. The folder is ours: whoever may write its rules may let himself in.
    if ((await readPasswords(dataDir))?.owner === passwords?.owner) await setRules(running, openRules);
    await sleep(50);
  }
}

/** The roles first and the file after: what the file says is always true. */
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

/** A transaction in which passwords are set. */
async function beginQuietly(client: pg.Client): Promise<void> {
  await client.query('begin');
  // A statement that fails is written to the server's log, passwords and all.
  await client.query("set local log_min_error_statement = 'panic'");
  // What 192 random bits are made of is not guessed however fast a guess is; every connection would pay for 4096 rounds.
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

/** Statements that make a role which can connect, and whatever else it may do has to be granted. */
export function newServiceRole(name: string, password: string): readonly string[] {
  const role = pg.escapeIdentifier(name);
  return [
    `create role ${role} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls noinherit ` +
      `password ${pg.escapeLiteral(password)}`,
    // No request waits for as long; what takes longer is a mistake or an attack.
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

/** Is anybody connected beside us? */
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
