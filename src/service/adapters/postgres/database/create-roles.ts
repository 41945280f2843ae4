import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { queueSchema } from '../../queue/boss.ts';
import { newServiceRole, type DatabaseUrls } from '../embedded/embedded-access.ts';
import { serviceTables } from './rights.ts';

export interface RoleNames {
  readonly owner: string;
  readonly service: string;
}

/**
 * Creates, in the operator's PostgreSQL, the role that owns our tables and the role of the service, and makes the first
 * the owner of existing tables. Existing roles get new passwords. Database.migrate() grants the service's rights.
 * @param adminUrl address of the service's database, with a role that may create roles
 * @returns both addresses, with passwords
 * @throws EarshotError bad_request with the server's error
 */
export async function createRoles(
  adminUrl: string,
  names: RoleNames = { owner: 'earshot_owner', service: 'earshot_service' },
): Promise<DatabaseUrls> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('begin');
    // Failed statements would be logged by the server with the passwords.
    await client.query("set local log_min_error_statement = 'panic'").catch(() => client.query('rollback; begin'));
    const [ownerPassword, servicePassword] = [newPassword(), newPassword()];
    await ensureRole(client, names.owner, ownerPassword);
    await ensureRole(client, names.service, servicePassword);
    await handOver(client, names);
    await client.query('commit');
    return {
      url: withCredentials(adminUrl, names.service, servicePassword),
      ownerUrl: withCredentials(adminUrl, names.owner, ownerPassword),
    };
  } catch (error) {
    throw new EarshotError(
      'bad_request',
      `The roles could not be created: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
        nextAction:
          "Give the address of the service's database with a role that may create roles, such as " +
          'postgres://postgres:password@host/earshot.',
      },
    );
  } finally {
    await client.end().catch(() => {});
  }
}

const newPassword = (): string => randomBytes(24).toString('base64url');

async function ensureRole(client: pg.Client, name: string, password: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name]);
  if (rowCount === 0) for (const statement of newServiceRole(name, password)) await client.query(statement);
  else await client.query(`alter role ${pg.escapeIdentifier(name)} password ${pg.escapeLiteral(password)}`);
}

/** Gives the owner role the rights on the database, and our existing tables, functions and types. */
async function handOver(client: pg.Client, { owner, service }: RoleNames): Promise<void> {
  const [ownerId, serviceId] = [pg.escapeIdentifier(owner), pg.escapeIdentifier(service)];
  // Migrations may take long.
  await client.query(`alter role ${ownerId} set statement_timeout = 0`);
  const { rows } = await client.query<{ database: string; superuser: boolean }>(
    'select quote_ident(current_database()) as database, rolsuper as superuser from pg_roles where rolname = ' +
      'current_user',
  );
  const database = rows[0]?.database ?? '';
  // Only superusers may give objects to roles that they are not members of.
  if (rows[0]?.superuser !== true) await client.query(`grant ${ownerId} to current_user`);
  await client.query(`revoke temporary, create on database ${database} from public`);
  await client.query(`grant connect, create on database ${database} to ${ownerId}`);
  await client.query(`grant connect on database ${database} to ${serviceId}`);
  await client.query(`grant usage, create on schema public to ${ownerId}`);
  const { rows: things } = await client.query<{ statement: string }>(
    // The schema first: the owner of a table needs the right to create in its schema.
    `select format('alter schema %I owner to %I', nspname, $1::text) as statement from pg_namespace where nspname = $2
     union all
     select format('alter table %I.%I owner to %I', nspname, relname, $1::text)
     from pg_class join pg_namespace n on n.oid = relnamespace
     where relkind in ('r', 'p') and (nspname = $2 or (nspname = 'public' and relname = any($3)))
     union all
     select format('alter function %s owner to %I', pg_proc.oid::regprocedure, $1::text)
     from pg_proc join pg_namespace n on n.oid = pronamespace
     where nspname = $2 or (nspname = 'public' and proname = 'ledger_is_append_only')
     union all
     select format('alter type %I.%I owner to %I', nspname, typname, $1::text)
     from pg_type join pg_namespace n on n.oid = typnamespace where nspname = $2 and typtype = 'e'`,
    [owner, queueSchema, serviceTables],
  );
  for (const { statement } of things) await client.query(statement);
}

function withCredentials(url: string, role: string, password: string): string {
  const changed = new URL(url);
  changed.username = role;
  changed.password = password;
  return changed.href;
}
