// Jobs of calls on this machine: they outlive their calls, and their ends outlive the server.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { answerJob } from '../../../src/cli/mcp/calls/jobs.ts';
import { LocalJobs } from '../../../src/cli/mcp/jobs/local-jobs.ts';
import { AbortError } from '../../../src/library/core/abort.ts';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import type { OnProgress } from '../../../src/library/core/progress/progress.ts';

const root = mkdtempSync(join(tmpdir(), 'earshot-test-jobs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newFolder = (): string => {
  folders += 1;
  return mkdtempSync(join(root, `${folders}-`));
};

/** Work that ends when it is told to. */
function openWork() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let starts = 0;
  let tell: OnProgress = () => undefined;
  const written = join(newFolder(), 'out.wav');
  return {
    finish: resolve,
    fail: reject,
    written,
    starts: () => starts,
    progress: (progress: number) => tell({ progress, stage: 'encoding', estimatedSecondsLeft: 3.2 }),
    async work({ signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: OnProgress }) {
      starts += 1;
      tell = onProgress;
      const ended = new Promise<never>((_, over) =>
        signal.addEventListener('abort', () => over(new AbortError()), { once: true }),
      );
      await Promise.race([promise, ended]);
      writeFileSync(written, 'sound');
      return { text: 'It is done.', quoted: `Written: ${written}`, data: { outputs: [{ path: written }] } };
    },
  };
}

const waiting = (waitSeconds?: number, signal = new AbortController().signal) => ({
  signal,
  onProgress: () => undefined,
  waitSeconds,
});

describe('a job', () => {
  it('goes on when its call has waited long enough, and says how far it is', async () => {
    const jobs = new LocalJobs(null);
    const { work, finish, progress } = openWork();
    const { job } = await jobs.start('convert', {}, work, waiting(0));
    progress(0.35);
    const { text, data } = answerJob(await jobs.wait(job.id, waiting(0)));
    expect(text).toBe(
      `convert is running (${job.id}): 35 %, encoding, about 4 s left. It goes on by itself. Call get_job with this ` +
        'job_id to wait for it.',
    );
    expect(data).toMatchObject({ job_id: job.id, status: 'running', progress: 0.35 });
    finish();
    expect(answerJob(await jobs.wait(job.id, waiting())).text).toBe('It is done.');
  });

  it('goes on when its client has given the call up, and the same call again is the same job', async () => {
    const jobs = new LocalJobs(null);
    const open = openWork();
    const gone = new AbortController();
    const lost = jobs.start('convert', { file: 'a' }, open.work, waiting(45, gone.signal));
    gone.abort();
    const { job } = await lost;
    expect(job.status).toBe('running');
    const again = jobs.start('convert', { file: 'a' }, open.work, waiting());
    const other = await jobs.start('convert', { file: 'b' }, openWork().work, waiting(0));
    open.finish();
    expect([(await again).job.id, (await again).job.status, open.starts()]).toEqual([job.id, 'succeeded', 1]);
    expect(other.job.id).not.toBe(job.id);
    // Its end has been told: the same call is new work.
    expect((await jobs.start('convert', { file: 'a' }, openWork().work, waiting(0))).job.id).not.toBe(job.id);
    await jobs.close();
  });

  it('whose answer was lost gives it to the same call again, unless its files are gone', async () => {
    const jobs = new LocalJobs(null);
    const open = openWork();
    const gone = AbortSignal.abort();
    const { job } = await jobs.start('convert', {}, open.work, waiting(45, gone));
    open.finish();
    while (jobs.list()[0]?.status === 'running') await sleep(5);
    rmSync(open.written);
    const anew = openWork();
    expect((await jobs.start('convert', {}, anew.work, waiting(0))).job.id).not.toBe(job.id);
    anew.finish();
    while (jobs.list()[0]?.status === 'running') await sleep(5);
    const { job: found } = await jobs.start('convert', {}, anew.work, waiting());
    expect([found.status, anew.starts()]).toEqual(['succeeded', 1]);
  });

  it('that is cancelled ends, and one that fails keeps its error', async () => {
    const jobs = new LocalJobs(null);
    const { job } = await jobs.start('convert', {}, openWork().work, waiting(0));
    expect((await jobs.cancel(job.id)).status).toBe('cancelled');
    await expect(jobs.cancel(job.id)).rejects.toMatchObject({ code: 'job_not_cancellable' });
    const { work, fail } = openWork();
    const failing = await jobs.start('convert', { other: true }, work, waiting(0));
    fail(new EarshotError('no_audio', 'Expected sound in clip.mp4 but it has none'));
    const { job: failed } = await jobs.wait(failing.job.id, waiting());
    expect([failed.status, failed.error?.code]).toEqual(['failed', 'no_audio']);
    expect(answerJob({ job: failed }).quoted).toContain('Expected sound in clip.mp4');
  });
});

describe('a later server on the same folders', () => {
  it('finds a result, which only its user can read, and says which of its files are gone', async () => {
    const folder = newFolder();
    const { work, finish, written } = openWork();
    finish();
    const { job } = await new LocalJobs(folder).start('convert', {}, work, waiting());
    expect(statSync(join(folder, `${job.id}.json`)).mode & 0o077).toBe(0);
    const later = new LocalJobs(folder);
    expect(later.list().map(({ id }) => id)).toEqual([job.id]);
    expect(answerJob(await later.wait(job.id, waiting())).quoted).toBe(`Written: ${written}`);
    rmSync(written);
    expect(answerJob(await later.wait(job.id, waiting())).quoted).toContain(`No longer there: ${written}`);
  });

  it('says of a job that its server ended with that it was interrupted', async () => {
    const folder = newFolder();
    const jobs = new LocalJobs(folder);
    const { job } = await jobs.start('convert', {}, openWork().work, waiting(0));
    await jobs.close();
    const found = await new LocalJobs(folder).wait(job.id, waiting());
    expect(answerJob(found).text).toBe(
      `convert was interrupted (${job.id}). The program that did it has ended; make the same call again.`,
    );
  });

  it('says the same where it was killed, and does not wait for it', async () => {
    const folder = newFolder();
    const jobs = new LocalJobs(folder);
    const { work, finish } = openWork();
    const { job } = await jobs.start('convert', {}, work, waiting(0));
    const path = join(folder, `${job.id}.json`);
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), owner: { pid, mark: '1' } }));
    expect((await new LocalJobs(folder).wait(job.id, waiting())).job.status).toBe('interrupted');
    finish();
    await jobs.close();
  });

  it('sees a job that another server is doing, waits for it, and leaves it alone', async () => {
    const folder = newFolder();
    const doing = new LocalJobs(folder);
    const { work, finish } = openWork();
    const { job } = await doing.start('convert', { file: 'a' }, work, waiting(0));
    const beside = new LocalJobs(folder);
    await expect(beside.cancel(job.id)).rejects.toMatchObject({ code: 'job_not_cancellable' });
    const same = beside.start('convert', { file: 'a' }, openWork().work, waiting());
    finish();
    expect([(await same).job.id, (await same).job.status]).toEqual([job.id, 'succeeded']);
  });

  it('takes no other file for a job, and forgets what is beyond 200', async () => {
    const folder = newFolder();
    writeFileSync(join(root, 'job_00000000secret.json'), '{}');
    writeFileSync(join(folder, 'job_damaged0.json'), '{"id"');
    const { work, finish } = openWork();
    finish();
    const { job } = await new LocalJobs(folder).start('convert', {}, work, waiting());
    const whole = readFileSync(join(folder, `${job.id}.json`), 'utf8');
    for (let at = 0; at < 205; at += 1) {
      const id = `job_000000${String(at).padStart(4, '0')}`;
      writeFileSync(join(folder, `${id}.json`), whole.replace(job.id, id));
    }
    const later = new LocalJobs(folder);
    expect(later.list()).toHaveLength(200);
    expect(readdirSync(folder)).toHaveLength(201);
    await expect(later.wait('../job_00000000secret', waiting())).rejects.toMatchObject({ code: 'not_found' });
  });
});
