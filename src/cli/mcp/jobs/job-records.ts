// Jobs of an assistant as files, one each, so that a later server finds them again.
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AssistantAnswer } from '../../../library/contract/assistant-answers.ts';
import type { ErrorJson } from '../../../library/core/errors/errors.ts';
import { isPrivateFolder } from '../../../library/core/files/home-folder.ts';
import { renameFileSync } from '../../../library/core/files/rename-file.ts';
import { startMark } from '../../../library/core/machine/start-mark.ts';
import { dataFolder } from '../../../library/models/folders.ts';

/** 'interrupted': the server that did it has ended. */
export type LocalJobStatus = 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';

export interface LocalJob {
  /** "job_" and letters that grow with time. */
  readonly id: string;
  /** The name of the call. */
  readonly call: string;
  /** Of the call and what it was given. */
  readonly key: string;
  /** The process that does it, and its start. */
  readonly owner: { readonly pid: number; readonly mark: string | null };
  readonly status: LocalJobStatus;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** 0 to 1. */
  readonly progress: number;
  readonly stage: string;
  readonly estimatedSecondsLeft: number | null;
  /** Of a job that succeeded, without its picture. */
  readonly answer: Omit<AssistantAnswer, 'picture'> | null;
  /** Of a job that failed. */
  readonly error: ErrorJson | null;
  /** Has a call answered with its end? */
  readonly told: boolean;
}

/** Jobs beyond these, and older ones, are forgotten. */
const mostJobs = 200;
const keptMilliseconds = 30 * 24 * 3600 * 1000;

const idForm = /^job_[0-9a-z]{8,40}$/;

export const newJobId = (): string =>
  `job_${Date.now().toString(36).padStart(9, '0')}${randomBytes(4).toString('hex')}`;

export const keyOf = (call: string, given: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([call, given]))
    .digest('hex');

/**
 * The folder of jobs on these files: servers for the same folders share it.
 * @returns null where there is no folder that only this user can write to
 */
export function jobsFolder(roots: readonly string[], outputDir: string | null): string | null {
  const of = createHash('sha256')
    .update(JSON.stringify([[...roots].sort(), outputDir]))
    .digest('hex');
  const folder = join(dataFolder(), 'earshot', 'assistant-jobs', of.slice(0, 16));
  return isPrivateFolder(folder) ? folder : null;
}

export class JobRecords {
  /** null: jobs are remembered in this process alone. */
  private readonly folder: string | null;
  private readonly own = new Map<string, LocalJob>();

  constructor(folder: string | null) {
    this.folder = folder;
    const forgottenBefore = new Date(Date.now() - keptMilliseconds).toISOString();
    for (const [at, { id, startedAt }] of this.all().entries())
      if (at >= mostJobs || startedAt < forgottenBefore) this.remove(id);
  }

  /** Newest first. */
  all(): readonly LocalJob[] {
    const names = this.folder === null ? [] : readdirSync(this.folder);
    const stored = names.flatMap((name) => this.read(name.replace(/\.json$/, '')) ?? []);
    const jobs = new Map([...stored.map((job) => [job.id, job] as const), ...this.own]);
    return [...jobs.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1));
  }

  find(id: string): LocalJob | null {
    return this.own.get(id) ?? this.read(id);
  }

  /** As `write`, for this process alone. */
  keep(job: LocalJob): void {
    this.own.set(job.id, job);
  }

  write(job: LocalJob): void {
    this.own.set(job.id, job);
    if (this.folder === null) return;
    const path = join(this.folder, `${job.id}.json`);
    try {
      writeFileSync(`${path}.${process.pid}`, JSON.stringify(job), { mode: 0o600 });
      renameFileSync(`${path}.${process.pid}`, path);
    } catch {
      // A full disk costs no run its result.
    }
  }

  private remove(id: string): void {
    if (this.folder !== null) rmSync(join(this.folder, `${id}.json`), { force: true });
  }

  private read(id: string): LocalJob | null {
    if (this.folder === null || !idForm.test(id)) return null;
    let job: LocalJob;
    try {
      job = JSON.parse(readFileSync(join(this.folder, `${id}.json`), 'utf8')) as LocalJob;
    } catch {
      return null;
    }
    const { pid, mark } = job.owner;
    const isLeft = job.status === 'running' && startMark(pid) !== mark;
    return isLeft ? { ...job, status: 'interrupted', finishedAt: job.startedAt } : job;
  }
}
