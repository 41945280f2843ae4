// Every tool on machines of every size, at its defaults: nothing may fail, and a fifth of each bound stays free.
//     npm run test:machines                    a part of it, for each change
//     npm run test:machines -- --nightly       the same with longer files, and 2 GiB: each night
//     npm run test:machines -- --full          all of it: files of four minutes and an hour, 1 to 64 cores
//     npm run test:machines -- --only=modes     or memory, or service; --tools=... for others than remove_noise
//     npm run test:machines -- --cores=4,16 --tools=transcribe_audio --seconds=3600
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, startService } from '../fixtures/service/running-service.ts';
import type { Cell, CellRun } from './cell-worker.ts';
import { makeFiles, type Files } from './files.ts';
import { watchPeaks } from './peaks.ts';
import { type Place, withCores, withMemory } from './places.ts';
import { otherTools, threadedTools } from './tools.ts';

const flag = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const numbers = (text: string): number[] => text.split(',').map(Number);
const full = process.argv.includes('--full');
const given = { cores: flag('cores'), tools: flag('tools'), seconds: flag('seconds') };
const isPart = Object.values(given).some((value) => value !== undefined);

const folder = mkdtempSync(join(tmpdir(), 'earshot-machines-'));
const worker = fileURLToPath(new URL('cell-worker.ts', import.meta.url));
const startedAt = performance.now();
const troubles: string[] = [];
const row = (...cells: readonly (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`);
function head(title: string, ...columns: readonly string[]): void {
  console.log(`\n${title}\n`);
  row(...columns);
  row(...columns.map(() => '---'));
}

/** Runs a cell in a place, and prints and judges each of its runs. */
async function runCell(
  name: string,
  cell: Cell,
  place: Place,
  mayFail: (run: CellRun) => boolean = () => false,
): Promise<void> {
  const command = [
    ...place.prefix,
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    worker,
    JSON.stringify(cell),
  ];
  const child = spawn(command[0] ?? '', command.slice(1), {
    env: { ...process.env, ...place.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let runs = 0;
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    const lines = (text += more).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      runs += 1;
      report(name, JSON.parse(line) as CellRun, mayFail);
    }
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  place.remove();
  if (code !== 0 || runs !== cell.tools.length * cell.times)
    troubles.push(`${name}: the host ended with ${String(code)}`);
}

function report(name: string, run: CellRun, mayFail: (run: CellRun) => boolean): void {
  const { tool, boundMiB, residentMiB, reservedMiB, threads, seconds, error } = run;
  const share = Math.round((100 * residentMiB) / boundMiB);
  const outcome = error === null ? 'done' : `${error.code}: ${error.message}`;
  row(name, tool, outcome, seconds, residentMiB, reservedMiB, threads, `${share} % of ${boundMiB}`);
  const isExpected = mayFail(run);
  if (error !== null && !(isExpected && error.code === 'limit_exceeded')) troubles.push(`${name}, ${tool}: ${outcome}`);
  if (error === null && share > 80 && !isExpected) troubles.push(`${name}, ${tool}: ${share} % of its bound`);
}

const columns = [
  'machine',
  'tool',
  'outcome',
  'seconds',
  'resident MiB',
  'reserved MiB',
  'threads',
  'of its bound MiB',
];

async function library(files: Files, tools: readonly string[], cores: readonly number[]): Promise<void> {
  head(`The library, fresh processes, ${files.speech.replace(/.*speech-(\d+).*/, '$1')} s of speech`, ...columns);
  for (const count of cores) {
    const place = withCores(count);
    await runCell(`${count} cores (${place.by})`, { tools, files, times: 1, reuse: false }, place);
  }
}

async function modes(files: Files, tools: readonly string[], cores: number): Promise<void> {
  head(`Ways of confinement, ${cores} cores; processes that are used again`, ...columns);
  for (const mode of ['best', 'landlock', 'namespaces', ...(process.getuid?.() === 0 ? ['uid'] : []), 'off'] as const) {
    const place = withCores(cores);
    const environment = { ...place.environment, EARSHOT_CONFINEMENT: mode };
    await runCell(mode, { tools, files, times: 2, reuse: true }, { ...place, environment });
  }
}

/** With 1 GiB speech has too little, and is told so. */
async function memory(files: Files, tools: readonly string[], gibibytes: readonly number[]): Promise<void> {
  head('Little memory, 4 cores', ...columns);
  for (const each of gibibytes) {
    const place = withMemory(each * 2 ** 30);
    const environment = { ...place.environment, EARSHOT_CORES: '4' };
    await runCell(
      `${each} GiB (${place.by})`,
      { tools, files, times: 1, reuse: false },
      { ...place, environment },
      ({ tool, boundMiB }) => boundMiB < 800 && ['transcribe_audio', 'remove_noise'].includes(tool),
    );
  }
}

/** One job alone, then as many at once as there are slots, on `each`: then every job has fewer lanes. */
async function service(
  files: Files,
  tools: readonly string[],
  cores: readonly number[],
  each: Files = files,
): Promise<void> {
  head(
    'The service',
    'machine',
    'tool',
    'jobs at once',
    'outcome',
    'seconds',
    'a job: resident MiB',
    'reserved MiB',
    'threads',
  );
  for (const count of cores) {
    const data = mkdtempSync(join(folder, 'data-'));
    const flags = ['--log-level=error', '--first-credits=1000000', '--rate-limit-account=1000000'];
    const running = await startService(data, flags, { EARSHOT_CORES: String(count) });
    const watch = watchPeaks(() => running.pids().job);
    try {
      const client = createClient(running.address, running.key ?? '');
      const upload = async ({ speech }: Files): Promise<string> =>
        (await client.upload(Uint8Array.from(readFileSync(speech)), 'speech.mp3')).id;
      const [alone, shared] = [await upload(files), await upload(each)];
      const account = await client.call<{ limits: Record<string, number> }>('GET', '/api/v1/account');
      const slots = Math.min(count, account.limits['jobSlots'] ?? count);
      for (const tool of tools)
        for (const jobs of new Set([1, slots])) {
          const from = performance.now();
          watch.take();
          const ended = await Promise.all(
            Array.from({ length: jobs }, async (_, number) => {
              const body = {
                tool,
                file_id: jobs === 1 ? alone : shared,
                free: false,
                idempotency_key: `${tool}-${jobs}-${number}`,
              };
              const text = tool === 'align_script' ? { text: readFileSync(files.script, 'utf8') } : {};
              const job = await client.call<{ id: string }>('POST', '/api/v1/jobs', { ...body, ...text });
              return client.finished(job.id, 7_200_000);
            }),
          );
          const failed = ended.filter(({ status }) => status !== 'succeeded');
          const outcome = failed.length === 0 ? 'done' : JSON.stringify(failed[0]?.error);
          const { residentMiB, reservedMiB, threads } = watch.take();
          const seconds = Math.round((performance.now() - from) / 100) / 10;
          row(`${count} cores`, tool, jobs, outcome, seconds, residentMiB, reservedMiB, threads);
          if (failed.length > 0) troubles.push(`service, ${count} cores, ${tool}, ${jobs} at once: ${outcome}`);
        }
    } finally {
      watch.stop();
      await running.stop();
    }
  }
}

try {
  console.log(
    `${cpus().length} x ${cpus()[0]?.model.trim()}, ${availableParallelism()} to use, ` +
      `${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
  );
  const only = flag('only');
  if (only !== undefined) {
    const files = await makeFiles(folder, Number(given.seconds ?? 100));
    if (only === 'modes') await modes(files, given.tools?.split(',') ?? ['remove_noise'], 4);
    else if (only === 'memory') await memory(files, ['transcribe_audio', 'adjust_loudness'], [1, 2]);
    else if (only === 'service') await service(files, ['transcribe_audio'], [3]);
    else throw new Error(`--only takes modes, memory or service, not ${only}`);
  } else if (isPart) {
    const files = await makeFiles(folder, Number(given.seconds ?? 240));
    await library(files, given.tools?.split(',') ?? threadedTools, numbers(given.cores ?? '1,2,3,4,8,16,32,64'));
  } else if (full) {
    const files = await makeFiles(folder, 240);
    const all = [1, 2, 3, 4, 8, 16, 32, 64];
    await library(files, [...threadedTools, ...otherTools], all);
    await library(await makeFiles(folder, 3600), [...threadedTools, ...otherTools], [1, 4, 16, 64]);
    await modes(files, ['transcribe_audio', 'remove_noise'], 4);
    await memory(files, ['transcribe_audio', 'remove_noise', 'adjust_loudness', 'convert_audio'], [1, 2, 4]);
    await service(files, threadedTools, [1, 3, 4, 16]);
  } else {
    const nightly = process.argv.includes('--nightly');
    const long = nightly ? await makeFiles(folder, 100) : null;
    // Enough for three lanes of speech recognition; the others divide their work finer.
    const middling = await makeFiles(folder, 70);
    const short = await makeFiles(folder, 20);
    const brief = await makeFiles(folder, 6);
    // The service runs transcribe_audio on three cores, alone and in every slot. align_script has the networks of
    // remove_fillers, and remove_noise, which runs in every way of confinement below, those of enhance_voice.
    const threaded = nightly ? threadedTools : (['remove_fillers', 'level_speakers'] as const);
    await library(
      long ?? middling,
      threaded.filter((tool) => tool !== 'transcribe_audio'),
      [3],
    );
    // It has as many threads as with 70 s.
    if (!nightly) await library(short, ['enhance_voice'], [3]);
    await library(long ?? middling, ['transcribe_audio'], [16]);
    await library(short, otherTools, [64]);
    // The runs above had several lanes in the usual way; what a way refuses to one lane, it refuses to all.
    await modes(nightly ? short : brief, ['remove_noise'], 4);
    // With 2 GiB a job's bound is nearly that of the runs on three cores.
    await memory(short, ['transcribe_audio', 'adjust_loudness'], nightly ? [1, 2] : [1]);
    // In every slot at once each job has one lane, which one window fills.
    await service(middling, ['transcribe_audio'], [3], nightly ? middling : short);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${Math.round((performance.now() - startedAt) / 1000)} s`);
for (const trouble of troubles) console.log(`not as it should be: ${trouble}`);
if (troubles.length > 0) process.exitCode = 1;
