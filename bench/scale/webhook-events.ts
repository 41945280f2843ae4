// What the triggers of webhooks cost: new files of accounts without an endpoint, with one and with twenty, and without
// the triggers. By CPU time of the database's processes, which a busy machine changes little.
import { sql } from 'kysely';
import { openDatabase } from '../../src/service/adapters/postgres/database/database.ts';
import { newId } from '../../src/service/rules/shared/ids.ts';
import { openScaleDatabase, type ScaleDatabase, serverCpuSeconds } from './progress.ts';

const rounds = 5;
const rows = 3000;

async function accountWith({ database, stores }: ScaleDatabase, endpoints: number): Promise<string> {
  const id = newId('acc');
  await stores.accounts.create({ id, name: 'bench', oauthSubject: null });
  for (let n = 0; n < endpoints; n += 1)
    await sql`insert into webhook_endpoints (id, account_id, url, description, events, secret)
      values (${`hook_${id}${n}`}, ${id}, 'https://hooks.example.com', '', '{file.ready}', 'whsec_')`.execute(
      database.kysely,
    );
  return id;
}

/** CPU seconds of the database for files that are inserted one by one. */
async function insertFiles({ database, pid }: ScaleDatabase, account: string): Promise<number> {
  const before = serverCpuSeconds(pid);
  await sql`do ${sql.raw(`$$ begin for n in 1..${rows} loop
    insert into files (id, account_id, kind, status, filename, content_type, has_video, has_audio, expires_at)
    values ('file_' || gen_random_uuid(), '${account}', 'original', 'ready', 'talk.wav', 'audio/wav', false, true, now());
    end loop; end $$`)}`.execute(database.kysely);
  return serverCpuSeconds(pid) - before;
}

/** Prints a table. */
export async function measureWebhookEvents(): Promise<void> {
  await using scale = await openScaleDatabase();
  const owner = openDatabase({
    url: scale.urls.ownerUrl,
    log: { info() {}, warn() {}, error() {} },
    maxConnections: 1,
  });
  const ways = [
    { name: 'no triggers', account: await accountWith(scale, 0), off: true, seconds: [] as number[] },
    { name: 'no endpoint', account: await accountWith(scale, 0), off: false, seconds: [] as number[] },
    { name: 'one endpoint', account: await accountWith(scale, 1), off: false, seconds: [] as number[] },
    { name: 'twenty endpoints', account: await accountWith(scale, 20), off: false, seconds: [] as number[] },
  ];
  for (let round = 0; round < rounds; round += 1)
    for (const { account, off, seconds } of ways) {
      await owner.query(`alter table files ${off ? 'disable' : 'enable'} trigger webhooks_of_new_files`);
      seconds.push(await insertFiles(scale, account));
    }
  await owner.close();
  console.log('\n| webhooks | CPU of the database for a file | files a second of a core |\n|---|---|---|');
  for (const { name, seconds } of ways) {
    const median = seconds.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
    console.log(`| ${name} | ${((1e6 * median) / rows).toFixed(0)} us | ${(rows / median).toFixed(0)} |`);
  }
}
