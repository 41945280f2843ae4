// Clients of a fleet under trouble: they repeat every request until it is answered, follow their jobs to the end, and
// delete some of the outputs.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { wavFile } from '../../bench/service/wav.ts';
import { account, demand, type JobRecord, patient, type Reckoning } from '../chaos/reckoning.ts';
import type { DatabaseHost } from '../fixtures/fleet/database-host.ts';
import type { Fleet } from '../fixtures/fleet/fleet.ts';
import { createClient, type Client } from '../fixtures/service/running-service.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const terminal: readonly string[] = ['succeeded', 'failed', 'cancelled'];
/** Jobs that wait or run at a time: enough that every slot has one, whatever is away. */
const mostOpen = 16;

interface Kept extends JobRecord {
  readonly createdAt: string;
}

export class Load {
  readonly fleet: Fleet;
  /** The database that is asked at the end; replaced by a failover. */
  database: DatabaseHost;
  /** The job of each idempotency key, by the answer that counts. */
  readonly ids = new Map<string, string>();
  /** As their clients saw them when they had ended. */
  readonly seen = new Map<string, Kept>();
  /** Jobs that were ordered again because the service no longer knew them. */
  readonly forgotten: string[] = [];
  /** Deleted outputs, with their keys in the store. */
  readonly deleted = new Map<string, string>();
  /** Do clients delete some of the outputs? */
  deletes = true;
  private readonly bodies = new Map<string, object>();
  private readonly random: () => number;
  private readonly client: ReturnType<typeof patient>;
  private readonly following: Promise<void>[] = [];
  private fileId = '';
  private open = 0;
  private submitted = 0;

  constructor(fleet: Fleet, random: () => number) {
    this.fleet = fleet;
    this.database = fleet.database;
    this.random = random;
    this.client = patient(() => createClient(fleet.address, fleet.key));
  }

  get failures(): number {
    return this.client.failures();
  }

  /** @param seconds of the recording that all jobs read */
  async upload(seconds = 3): Promise<void> {
    this.fileId = (await this.client((each) => each.upload(wavFile(seconds), 'storm.wav'))).id;
  }

  /**
   * Orders jobs as fast as they end. @param onOrdered called after each order
   * @param until true: no more
   */
  async order(most: number, onOrdered: (count: number) => void = () => {}, until = () => false): Promise<void> {
    const from = this.submitted;
    while (this.submitted - from < most && !until()) {
      while (this.open >= mostOpen) await sleep(20);
      const key = `fleet-${this.submitted}`;
      this.submitted += 1;
      this.open += 1;
      const body = this.body(key);
      this.bodies.set(key, body);
      this.ids.set(key, await this.create(body));
      this.following.push(this.follow(key, body).finally(() => (this.open -= 1)));
      onOrdered(this.submitted - from);
    }
  }

  private body(key: string): object {
    const common = { file_id: this.fileId, free: false, idempotency_key: key };
    return this.random() < 0.5
      ? { ...common, tool: 'adjust_loudness', output_format: 'mp3' }
      : { ...common, tool: 'cut_audio', ranges: [[1, 1.5 + this.random()]] };
  }

  private async create(body: object): Promise<string> {
    const job = await this.client((each) => each.call<{ id: string }>('POST', '/api/v1/jobs', body));
    if (this.random() < 0.05)
      await this.client((each) =>
        each.call('POST', `/api/v1/jobs/${job.id}/cancel`).catch((thrown: Error) =>
          // A refusal (it has ended already) is an answer, too.
          /job_not_cancellable|not_found/.test(thrown.message) ? undefined : Promise.reject(thrown),
        ),
      );
    return job.id;
  }

  private async follow(key: string, body: object): Promise<void> {
    for (let pauseMs = 50; ; pauseMs = Math.min(500, pauseMs * 1.3)) {
      const id = this.ids.get(key) ?? '';
      const job = await this.client((each) =>
        each.call<Kept>('GET', `/api/v1/jobs/${id}`).catch((thrown: Error) =>
          // After a failover: the key makes the order one again.
          /answered 404/.test(thrown.message) ? null : Promise.reject(thrown),
        ),
      );
      if (job === null) {
        this.forgotten.push(id);
        this.ids.set(key, await this.create(body));
      } else if (terminal.includes(job.status)) {
        this.seen.set(job.id, job);
        if (this.deletes && job.status === 'succeeded' && this.random() < 0.1) await this.delete(job);
        return;
      }
      await sleep(pauseMs);
    }
  }

  private async delete({ outputs }: Kept): Promise<void> {
    const id = outputs[0]?.id ?? '';
    const rows = await this.patientQuery<{ object_key: string }>('select object_key from files where id = $1', [id]);
    const [row] = rows;
    if (row === undefined) return;
    this.deleted.set(id, row.object_key);
    await this.client((each) =>
      each
        .call('DELETE', `/api/v1/files/${id}`)
        // An earlier try, whose answer was lost, has deleted it.
        .catch((thrown: Error) => (/answered 404/.test(thrown.message) ? undefined : Promise.reject(thrown))),
    );
  }

  private async patientQuery<Row extends Record<string, unknown>>(
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.database.query<Row>(text, values);
      } catch (thrown) {
        if (tries > 1000) throw thrown;
        await sleep(100);
      }
    }
  }

  /** After a failover: every client asks again, also for what had ended. */
  async lookAgain(): Promise<void> {
    await this.ended();
    for (const [key, body] of this.bodies) this.following.push(this.follow(key, body));
    await this.ended();
  }

  async ended(): Promise<void> {
    await Promise.all(this.following);
  }

  /** All jobs over, charged right, outputs whole by their hash, deleted ones gone. @throws Error naming what is not */
  async reckon(): Promise<Reckoning> {
    await this.ended();
    const client: Client = createClient(this.fleet.address, this.fleet.key);
    const deleted = new Set(this.deleted.keys());
    const reckoning = await account(client, [...this.ids.values()], deleted, async (id, bytes) => {
      const [row] = await this.database.query<{ sha256: string | null }>('select sha256 from files where id = $1', [
        id,
      ]);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      demand(row?.sha256 === sha256, `File ${id} was written as ${row?.sha256} and is ${sha256}`);
    });
    for (const [id, key] of this.deleted)
      demand(!existsSync(join(this.fleet.store.folder, key)), `The deleted file ${id} is still in the store as ${key}`);
    return reckoning;
  }
}
