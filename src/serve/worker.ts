import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLinkFetcher } from '../adapters/links/link-fetcher.ts';
import { reenqueueLost, removeStale } from '../adapters/postgres/housekeeping.ts';
import { createWorkQueue } from '../adapters/queue/work-queue.ts';
import { createMediaWork } from '../runtime/media-work.ts';
import type { Config } from '../service/config.ts';
import { createFileTasks } from '../service/files/tasks/file-tasks.ts';
import type { Log } from '../service/log.ts';
import { createWorker } from '../service/worker/worker.ts';
import { openBackend } from './backend.ts';
import { createObjects } from './objects.ts';
import type { RunningPart } from './running-part.ts';

/** The supervisor: takes jobs, checks, imports and waveforms from the queue, and lets job processes do them. */
export async function startWorker(config: Config, databaseUrl: string, log: Log): Promise<RunningPart> {
  const backend = await openBackend(databaseUrl, log);
  const { stores, database, enqueuer } = backend;
  const workDir = join(config.data, 'work');
  await mkdir(workDir, { recursive: true });
  const objects = createObjects(config);
  const media = createMediaWork({
    jobSlots: config.jobSlots,
    maxJobMemoryBytes: config.jobMemoryBytes,
    maxJobSeconds: config.jobSeconds,
    workDir,
    modelsDir: config.modelsDir,
  });
  const worker = createWorker({
    stores,
    queue: createWorkQueue(database),
    objects,
    media,
    files: createFileTasks({ files: stores.files, objects, links: createLinkFetcher(), media, config, log }),
    config,
    log,
    housekeeping: {
      'lost tasks': () => reenqueueLost(database, enqueuer),
      'stale rows': () => removeStale(database, new Date(), config),
    },
  });
  await worker.start();
  return {
    address: null,
    async stop() {
      await worker.stop();
      await media.close();
      await backend[Symbol.asyncDispose]();
    },
  };
}
