// Many transcriptions at once: all must succeed, those that find no slot wait in the queue, and memory must not grow
// with their number.
//     node bench/service/transcriptions.ts [--count=50] [--job-slots=2]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { recording } from '../../test/fixtures/recordings.ts';
import { createClient, startService } from '../../test/fixtures/service/running-service.ts';
import { median } from '../compare.ts';

const flag = (name: string, fallback: number): number =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback);
const count = flag('count', 50);
const slots = flag('job-slots', cpus().length);
const row = (what: string, measured: string): void => console.log(`| ${what} | ${measured} |`);

const kinds = ['api', 'worker', 'job'] as const;
type Kind = (typeof kinds)[number];

/** Megabytes; 0 for a process that has ended. */
function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const machine = `${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.version}`;
console.log(`${machine}\n\n| ${count} transcriptions at once, ${slots} job slots | |\n|---|---|`);
const data = mkdtempSync(join(tmpdir(), 'earshot-bench-speech-'));
const service = await startService(data, [
  '--log-level=error',
  '--rate-limit-account=1000000',
  '--rate-limit-address=1000000',
  '--first-credits=1000000',
  `--job-slots=${slots}`,
]);
try {
  const client = createClient(service.address, service.key ?? '');
  const clips = ['jfk.wav', 'austen-0870.wav', 'um.flac', 'uh.flac'] as const;
  const files = await Promise.all(
    clips.map(async (name) => client.upload(Uint8Array.from(readFileSync(recording(name))), name)),
  );

  /** The most that one process of a kind had, and that all of them had together, MB. */
  const most: Record<Kind, { one: number; all: number }> = {
    api: { one: 0, all: 0 },
    worker: { one: 0, all: 0 },
    job: { one: 0, all: 0 },
  };
  let mostWorking = 0;
  const over = new AbortController();
  const watched = (async () => {
    while (!over.signal.aborted) {
      const pids = service.pids();
      for (const kind of kinds) {
        const sizes = pids[kind].map(residentMb);
        most[kind].one = Math.max(most[kind].one, ...sizes);
        most[kind].all = Math.max(
          most[kind].all,
          sizes.reduce((sum, size) => sum + size, 0),
        );
      }
      // A spare process, which waits for work, has loaded no network.
      mostWorking = Math.max(mostWorking, pids.job.filter((pid) => residentMb(pid) > 200).length);
      await sleep(100);
    }
  })();

  const startedAt = performance.now();
  const waits: number[] = [];
  const ended = await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const { id } = await client.call<{ id: string }>('POST', '/api/v1/jobs', {
        tool: 'transcribe_audio',
        file_id: files[number % files.length]?.id,
        free: false,
        idempotency_key: `at-once-${number}`,
      });
      const job = await client.finished(id, 3_600_000);
      waits.push((performance.now() - startedAt) / 1000);
      return job;
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  over.abort();
  await watched;

  const failed = ended.filter(({ status }) => status !== 'succeeded');
  row('succeeded', `${count - failed.length} of ${count}`);
  row('all done', `${seconds.toFixed(0)} s, ${(seconds / count).toFixed(1)} s for each`);
  row('from the request to the end', `median ${median(waits).toFixed(0)} s, last ${Math.max(...waits).toFixed(0)} s`);
  row('job processes that worked at a time', `at most ${mostWorking}`);
  row('a job process', `at most ${most.job.one.toFixed(0)} MB, all of them ${most.job.all.toFixed(0)} MB`);
  row('the supervisor', `at most ${most.worker.one.toFixed(0)} MB`);
  row('the API', `at most ${most.api.one.toFixed(0)} MB`);
  if (failed.length > 0) throw new Error(`Not all succeeded: ${JSON.stringify(failed.map(({ error }) => error))}`);
} finally {
  await service.stop();
  rmSync(data, { recursive: true, force: true });
}
