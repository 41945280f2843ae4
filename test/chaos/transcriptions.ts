// Kills in the middle of transcriptions, of which each takes seconds and hundreds of megabytes: the job must be done
// again, with the very same transcript, and be charged once.
//     npm run chaos -- --transcriptions=6 --seed=7
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '../fixtures/random.ts';
import { recording } from '../fixtures/recordings.ts';
import { createClient, startService, type Client } from '../fixtures/service/running-service.ts';

export interface TranscriptionReport {
  /** Transcriptions that were hit in their middle, by what was killed. */
  readonly kills: Readonly<Record<'job' | 'worker', number>>;
  /** Of those, how many gave the transcript of a run that nobody disturbed. */
  readonly sameTranscripts: number;
  readonly charged: number;
  /** The longest time from a kill to the end of the job, seconds; undisturbed a run takes `undisturbedSeconds`. */
  readonly longestSeconds: number;
  readonly undisturbedSeconds: number;
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly progress: number;
  readonly outputs: readonly { readonly id: string }[];
  readonly error: unknown;
}

/** Everything that a job wrote. */
async function written(client: Client, { outputs }: Job): Promise<string> {
  const texts = outputs.map(async ({ id }) => {
    const { url } = await client.call<{ url: string }>('GET', `/api/v1/files/${id}/download`);
    return (await fetch(url)).text();
  });
  return (await Promise.all(texts)).join('\n');
}

/** @throws Error naming what went wrong */
export async function killTranscriptions(count: number, seed: number): Promise<TranscriptionReport> {
  const data = mkdtempSync(join(tmpdir(), 'earshot-chaos-speech-'));
  const service = await startService(data, [
    '--log-level=error',
    '--rate-limit-account=1000000',
    '--first-credits=1000',
  ]);
  try {
    const client = createClient(service.address, service.key ?? '');
    const random = seeded(seed);
    // A minute of speech.
    const bytes = Uint8Array.from(readFileSync(recording('sonnet001.mp3')));
    const file = await client.upload(bytes, 'sonnet.mp3');
    const start = (name: string): Promise<Job> =>
      client.call('POST', '/api/v1/jobs', {
        tool: 'transcribe_audio',
        file_id: file.id,
        free: false,
        idempotency_key: name,
      });
    const state = (id: string): Promise<Job> => client.call('GET', `/api/v1/jobs/${id}`);
    const ended = async (id: string): Promise<Job> => {
      const job = (await client.finished(id, 900_000)) as unknown as Job;
      if (job.status !== 'succeeded') throw new Error(`Job ${id} ${job.status}: ${JSON.stringify(job.error)}`);
      return job;
    };

    const startedAt = performance.now();
    const undisturbed = await ended((await start('undisturbed')).id);
    const undisturbedSeconds = (performance.now() - startedAt) / 1000;
    const transcript = await written(client, undisturbed);
    const kills = { job: 0, worker: 0 };
    const jobs = [undisturbed.id];
    let [sameTranscripts, longestSeconds] = [0, 0];
    for (let number = 0; number < count; number += 1) {
      const victim = number % 2 === 0 ? 'job' : 'worker';
      const { id } = await start(`killed-${number}`);
      jobs.push(id);
      const from = 0.1 + 0.7 * random();
      for (;;) {
        const { status, progress } = await state(id);
        if (status === 'succeeded' || status === 'failed')
          throw new Error(`Job ${id} ${status} before it could be killed at ${from.toFixed(2)}`);
        if (progress >= from) break;
        await sleep(10);
      }
      // Spare job processes die with the one that works.
      for (const pid of service.pids()[victim]) process.kill(pid, 'SIGKILL');
      const killedAt = performance.now();
      // A new attempt begins at zero: who sees that knows that the one before was hit.
      for (let job = await state(id); job.progress >= from; job = await state(id)) {
        if (job.status === 'succeeded' || job.status === 'failed')
          throw new Error(`Job ${id} ${job.status} although its ${victim} process was killed at ${from.toFixed(2)}`);
        await sleep(10);
      }
      const job = await ended(id);
      kills[victim] += 1;
      longestSeconds = Math.max(longestSeconds, (performance.now() - killedAt) / 1000);
      if ((await written(client, job)) === transcript) sameTranscripts += 1;
    }

    const { data: entries } = await client.call<{
      data: readonly { readonly kind: string; readonly credits: number; readonly jobId: string | null }[];
    }>('GET', '/api/v1/ledger?limit=100');
    const charges = entries.filter(({ kind }) => kind === 'charge');
    for (const id of jobs) {
      const own = charges.filter(({ jobId }) => jobId === id).map(({ credits }) => credits);
      if (own.length !== 1) throw new Error(`Job ${id} was charged ${own.length} times`);
    }
    const { balance, availableCents } = await client.call<{ balance: number; availableCents: number }>(
      'GET',
      '/api/v1/account',
    );
    if (balance !== availableCents) throw new Error(`Credits are still held: ${balance}, available ${availableCents}`);
    if (sameTranscripts !== count)
      throw new Error(`${count - sameTranscripts} of ${count} transcripts differ from the undisturbed one`);
    const charged = -charges.reduce((sum, { credits }) => sum + credits, 0);
    return { kills, sameTranscripts, charged, longestSeconds, undisturbedSeconds };
  } finally {
    await service.stop();
    rmSync(data, { recursive: true, force: true });
  }
}
