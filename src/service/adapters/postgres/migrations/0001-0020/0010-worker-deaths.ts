import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The jobs that were running in a worker when it died. With several jobs, none of their attempts counts. */
const statements = `
create table worker_deaths (
  worker_id text not null,
  job_id text not null references jobs (id) on delete cascade,
  shared boolean not null,
  noted_at timestamptz not null default clock_timestamp(),
  primary key (worker_id, job_id)
);
create index worker_deaths_by_job on worker_deaths (job_id);
`;

export const workerDeaths: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};
