import { EarshotError } from '../../../library/core/errors/errors.ts';
import { openFile } from '../files/open-file.ts';
import { requireReady } from '../files/guards.ts';
import { sentType } from '../files/sent-type.ts';
import type { OpenedFile } from '../files/opened-file.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { FileStore } from '../files/file-store.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { StoredJob } from '../jobs/stored-job.ts';
import { nameIn } from '../worker/run-inputs.ts';
import type { RunnerEntries, RunnerStore } from './runner-store.ts';
import type { Tokens } from '../shared/tokens.ts';
import type { Config } from '../settings/config.ts';

export interface RunnerInput {
  readonly field: string;
  readonly name: string;
  readonly url: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  /** The same for the same bytes. */
  readonly key: string;
}

export interface InputLinksDeps {
  readonly runners: Pick<RunnerStore, 'run'>;
  readonly entries: Pick<RunnerEntries, 'holds'>;
  readonly files: Pick<FileStore, 'getMany'>;
  readonly objects: ObjectStore;
  readonly tokens: Tokens;
  readonly config: Pick<Config, 'runnerLeaseSeconds'>;
  readonly baseUrl: () => string;
}

/**
 * Links to the inputs of a run. Each request asks whether the runner still has the job: a link ends with the lease, the
 * answer, and the runner's removal. A link of the object store cannot be taken back, so runners get one for the length
 * of a lease, and only when they read.
 */
export class InputLinks {
  private readonly deps: InputLinksDeps;
  private readonly now: () => Date;

  constructor(deps: InputLinksDeps, now: () => Date) {
    this.deps = deps;
    this.now = now;
  }

  inputsOf(
    job: Pick<StoredJob, 'id' | 'attempt' | 'writes'>,
    named: readonly { readonly field: string }[],
    files: readonly StoredFile[],
    until: Date,
  ): readonly RunnerInput[] {
    const { tokens, baseUrl } = this.deps;
    return files.map((file, index) => ({
      field: named[index]?.field ?? '',
      name: nameIn(job, file),
      url: `${baseUrl()}/api/runner/inputs/${tokens.sign('input', `${job.id}.${job.attempt}.${file.id}`, until)}`,
      sizeBytes: file.sizeBytes ?? 0,
      sha256: file.sha256,
      key: file.id,
    }));
  }

  /**
   * The file, or a link of the object store to it.
   * @throws EarshotError unauthorized, conflict when the runner no longer has the job, file_expired
   */
  async open(token: string): Promise<OpenedFile | { readonly url: string }> {
    const { tokens, runners, entries, files, objects, config } = this.deps;
    const at = this.now();
    const reading = await tokens.read('input', token, at);
    if (!reading.ok) throw new EarshotError('unauthorized', 'This link to an input is unknown or has expired');
    const [jobId = '', attempt = '', fileId = ''] = reading.id.split('.');
    const run = await runners.run(jobId, Number(attempt));
    if (run === null || run.answer !== null || !(await entries.holds(run))) throw lostJob();
    const [found] = await files.getMany([fileId]);
    if (found === null || found === undefined)
      throw new EarshotError('file_expired', `The file ${fileId} was deleted before the runner read it`);
    const file = requireReady(found);
    if (objects.direct === undefined) return await openFile(objects, file);
    const shown = { filename: file.filename, contentType: sentType(file) };
    const expiresAt = new Date(at.getTime() + config.runnerLeaseSeconds * 1000);
    return { url: await objects.direct.get(file.objectKey, shown, expiresAt) };
  }
}

export const lostJob = (): EarshotError =>
  new EarshotError('conflict', 'Another machine has this job by now, or it has ended', {
    details: { lost: true },
    nextAction: 'Drop it, and ask for another job.',
  });
