import { createHash, randomBytes } from 'node:crypto';
import { newId } from '../shared/ids.ts';
import { ofWorkingForm } from '../../../library/contract/chain-calls.ts';
import type { Warning } from '../../../library/core/progress/progress.ts';
import type { ToolOutput } from '../../../library/contract/media-work.ts';
import type { FileStore, NewFile } from '../files/file-store.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { Config } from '../settings/config.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { outputOwner, type StoredJob } from '../jobs/stored-job.ts';

/**
 * How long a job's outputs are kept: the setting, but no longer than the lifetime of its inputs, which some dialects
 * shorten.
 */
export function keptSeconds(
  { accountId }: Pick<StoredJob, 'accountId'>,
  inputs: readonly Pick<StoredFile, 'createdAt' | 'expiresAt'>[],
  { freeRetentionSeconds, retentionSeconds }: Pick<Config, 'freeRetentionSeconds' | 'retentionSeconds'>,
): number {
  const given = inputs.map(({ createdAt, expiresAt }) => (expiresAt.getTime() - createdAt.getTime()) / 1000);
  return Math.min(accountId === null ? freeRetentionSeconds : retentionSeconds, ...given);
}

/** A run's warnings without those that only say that a file between the steps of a chain has its form. */
export const ownWarnings = (
  { writes = null }: Pick<StoredJob, 'writes'>,
  warnings: readonly Warning[],
): readonly Warning[] =>
  writes?.form === 'working' ? warnings.filter(({ code }) => !ofWorkingForm.includes(code)) : warnings;

/**
 * Moves the outputs into the object store, under keys of this attempt: a stale worker cannot overwrite the outputs of a
 * later attempt. All or nothing.
 * @param createdAt by the database's clock: machines need not agree
 * @param patiently repeats a call that may succeed later. Default: it is made once
 */
export async function adoptOutputs(
  objects: ObjectStore,
  job: StoredJob,
  outputs: readonly ToolOutput[],
  retentionSeconds: number,
  createdAt: Date,
  patiently: <Answer>(call: () => Promise<Answer>) => Promise<Answer> = (call) => call(),
): Promise<readonly NewFile[]> {
  const folder = `outputs/${createHash('sha256').update(job.id).digest('hex').slice(0, 32)}/${job.attempt}-${randomBytes(4).toString('hex')}`;
  const adopted: NewFile[] = [];
  const expiresAt = new Date(createdAt.getTime() + retentionSeconds * 1000);
  try {
    for (const [index, output] of outputs.entries()) {
      const objectKey = `${folder}-${index}`;
      const { sizeBytes, sha256 } = await patiently(() => objects.adopt(objectKey, output.path));
      adopted.push(newOutput(job, output, { objectKey, sizeBytes, sha256, createdAt, expiresAt }));
    }
    return adopted;
  } catch (thrown) {
    await removeAll(objects, keysOf(adopted));
    throw thrown;
  }
}

function newOutput(
  job: StoredJob,
  output: ToolOutput,
  stored: Pick<NewFile, 'objectKey' | 'sizeBytes' | 'sha256' | 'createdAt' | 'expiresAt'>,
): NewFile {
  const { filename, contentType, format, durationSeconds, hasVideo, hasAudio, media } = output;
  return {
    id: newId('file'),
    accountId: outputOwner(job),
    kind: 'output',
    status: 'ready',
    filename,
    contentType,
    format,
    durationSeconds,
    hasVideo,
    hasAudio,
    media,
    upload: null,
    importHash: null,
    sourceJobId: job.id,
    ...stored,
  };
}

export const keysOf = (files: readonly NewFile[]): readonly string[] =>
  files.flatMap(({ objectKey }) => (objectKey === null ? [] : [objectKey]));

/**
 * Removes outputs whose settlement was refused. Checks the records first: a settlement may have been stored although
 * its response was lost. After a failure the sweeper removes them.
 */
export async function discardUnused(
  objects: ObjectStore,
  files: Pick<FileStore, 'usedKeys'>,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  const used = await files.usedKeys(keys).catch(() => new Set(keys));
  await removeAll(
    objects,
    keys.filter((key) => !used.has(key)),
  );
}

async function removeAll(objects: ObjectStore, keys: readonly string[]): Promise<void> {
  for (const key of keys) await objects.remove(key).catch(() => undefined);
}
