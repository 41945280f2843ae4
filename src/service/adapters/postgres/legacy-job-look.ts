import { type Kysely, type Selectable, sql } from 'kysely';
import type { LegacyJobLook } from '../../rules/legacy-job-store.ts';
import type { JobStatus, StoredError } from '../../rules/records.ts';
import { toLegacyJob } from './rows.ts';
import type { LegacyJobTable, Tables } from './schema.ts';

/** Columns of the status query besides the row itself. */
interface Look extends Selectable<LegacyJobTable> {
  readonly arriving: boolean;
  readonly job_status: JobStatus | null;
  readonly started: boolean;
  readonly furthest: number;
  readonly job_error: StoredError | null;
  readonly jobs_ahead: number;
  readonly output_id: string | null;
  readonly output_filename: string | null;
  readonly output_expires_at: Date | null;
}

/** Everything that the status of an older-API job depends on, in one query. */
export async function lookAt(kysely: Kysely<Tables>, id: string): Promise<LegacyJobLook | null> {
  // Without a job yet: its future position in the queue, see sharing.ts.
  const { rows } = await sql<Look>`
    select legacy.*,
      coalesce(file.status = 'processing' and file.object_key is null, false) as arriving,
      job.status as job_status, job.attempt > 0 as started, job.furthest, job.error as job_error,
      job.output_file_ids[1] as output_id, result.filename as output_filename,
      result.expires_at as output_expires_at,
      case
        when job.status = 'queued' then
          (select count(*) from jobs as other where other.status = 'queued'
            and (other.share_rank, other.created_at, other.id) < (job.share_rank, job.created_at, job.id))
        when job.id is null and legacy.status = 'arriving' then
          (select count(*) from jobs as other where other.status = 'queued' and other.share_rank <= greatest(
            (select min(share_rank) from jobs where status = 'queued'),
            (select max(share_rank) + 1 from jobs
              where share_key = legacy.account_id and status in ('queued', 'running'))))
        else 0
      end as jobs_ahead
    from legacy_jobs as legacy
      left join files as file on file.id = legacy.file_id
      left join jobs as job on job.id = legacy.id
      left join files as result on result.id = job.output_file_ids[1]
    where legacy.id = ${id}`.execute(kysely);
  const [row] = rows;
  return row === undefined ? null : toLook(row);
}

function toLook(row: Look): LegacyJobLook {
  const legacy = toLegacyJob(row);
  return {
    legacy,
    arriving: row.arriving,
    job:
      row.job_status === null
        ? null
        : { status: row.job_status, started: row.started, furthest: row.furthest, error: row.job_error },
    jobsAhead: row.jobs_ahead,
    output:
      row.output_id === null
        ? null
        : { fileId: row.output_id, filename: row.output_filename ?? '', expiresAt: row.output_expires_at },
  };
}
