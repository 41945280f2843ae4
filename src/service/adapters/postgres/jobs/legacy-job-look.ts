import { type Kysely, type Selectable, sql } from 'kysely';
import type { LegacyJobLook } from '../../../rules/legacy-jobs/legacy-job-store.ts';
import type { JobStatus } from '../../../rules/jobs/stored-job.ts';
import type { StoredError } from '../../../rules/shared/stored-error.ts';
import type { LegacyJobTable, Tables } from '../database/schema.ts';
import { isFreeClass } from './sharing.ts';

/** Columns of the status query besides the row itself. */
interface Look extends Selectable<LegacyJobTable> {
  readonly arriving: boolean;
  readonly jobStatus: JobStatus | null;
  readonly started: boolean;
  readonly furthest: number;
  readonly jobError: StoredError | null;
  /** null: it does not wait. */
  readonly counted: number | null;
  readonly outputId: string | null;
  readonly outputFilename: string | null;
  readonly outputExpiresAt: Date | null;
}

/** Everything that the status of an older-API job depends on, in one query. */
export async function lookAt(kysely: Kysely<Tables>, id: string): Promise<LegacyJobLook | null> {
  // Without a job yet: its future position in the queue as a paid one, see sharing.ts.
  const { rows } = await sql<Look>`
    select legacy.*,
      coalesce(file.status = 'processing' and file.object_key is null, false) as arriving,
      job.status as job_status, job.attempt > 0 as started, job.furthest, job.error as job_error,
      job.output_file_ids[1] as output_id, result.filename as output_filename,
      result.expires_at as output_expires_at,
      case
        when job.status = 'queued' then
          (select count(*) from jobs as other where other.status = 'queued'
            and (${isFreeClass('other')}, other.share_rank, other.created_at, other.id)
              < (${isFreeClass('job')}, job.share_rank, job.created_at, job.id))
        when job.id is null and legacy.status = 'arriving' then
          (select count(*) from jobs as other where other.status = 'queued' and not ${isFreeClass('other')}
            and other.share_rank <= greatest(
            (select min(share_rank) from jobs where status = 'queued' and not ${isFreeClass('jobs')}),
            (select max(share_rank) + 1 from jobs
              where share_key = legacy.account_id and status in ('queued', 'running') and not ${isFreeClass('jobs')})))
      end as counted
    from legacy_jobs as legacy
      left join files as file on file.id = legacy.file_id
      left join jobs as job on job.id = legacy.id
      left join files as result on result.id = job.output_file_ids[1]
    where legacy.id = ${id}`.execute(kysely);
  const [row] = rows;
  return row === undefined ? null : toLook(row, await toldAhead(kysely, row));
}

/**
 * The number of jobs before it that is told: it never rises, though jobs of other accounts may go before it later, by
 * their share of the workers.
 */
async function toldAhead(kysely: Kysely<Tables>, { id, counted, jobsAhead: told }: Look): Promise<number> {
  if (counted === null) return 0;
  if (told !== null && told <= counted) return told;
  const row = await kysely
    .updateTable('legacy_jobs')
    .set({ jobsAhead: sql<number>`least(jobs_ahead, ${counted})` })
    .where('id', '=', id)
    .returning('jobsAhead')
    .executeTakeFirst();
  return row?.jobsAhead ?? counted;
}

function toLook(row: Look, jobsAhead: number): LegacyJobLook {
  const { arriving, jobStatus, started, furthest, jobError, counted: _counted, jobsAhead: _told, ...others } = row;
  const { outputId, outputFilename, outputExpiresAt, ...legacy } = others;
  return {
    legacy,
    arriving,
    job: jobStatus === null ? null : { status: jobStatus, started, furthest, error: jobError },
    jobsAhead,
    output: outputId === null ? null : { fileId: outputId, filename: outputFilename ?? '', expiresAt: outputExpiresAt },
  };
}
