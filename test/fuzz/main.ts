// Damaged files through what the service does with strangers' files, in its confined job processes: the check of an
// upload, then analyze, convert and cut. Nothing may take its host down, hang, leave anything behind, change its input
// or end in an error that says nothing. A job process that dies is fenced off; how many do is counted and each is
// named. Usage: npm run fuzz -- [--files=1000] [--seed=1] [--lanes=2] [--reuse=50] [--out=.cache/fuzz]
// [--only=<number>] Each file is made by its seed and number alone. Goes on where an earlier run with the same seed
// stopped. --only makes one file, keeps it and says what comes of it.
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { MediaWork } from '../../src/library/contract/media-work.ts';
import type { ToolId } from '../../src/library/contract/tool-ids.ts';
import { EarshotError } from '../../src/library/core/errors/errors.ts';
import { createMediaWork } from '../../src/library/runtime/engine/media-work.ts';
import { type Damaged, damagedFile, readOriginals } from './damaged.ts';
import { makeOriginals } from './originals.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    reuse: { type: 'string', default: '50' },
    out: { type: 'string', default: '.cache/fuzz' },
    only: { type: 'string' },
  },
});
const seed = Number(values.seed);
const maxJobSeconds = 60;
const maxJobMemoryBytes = 1024 ** 3;

interface Step {
  readonly what: string;
  /** "ok", an error's code, "crashed SIGSEGV". */
  readonly outcome: string;
  readonly milliseconds: number;
  readonly message?: string;
}

interface Line {
  readonly number: number;
  readonly kind: string;
  readonly steps: readonly Step[];
  /** What must not happen. */
  readonly faults: readonly string[];
}

const outcomeOf = (thrown: unknown): { outcome: string; message: string } => {
  if (!(thrown instanceof EarshotError)) return { outcome: 'not an EarshotError', message: String(thrown) };
  const outcome = thrown.details?.['crashed'] === true ? `crashed ${String(thrown.details['signal'])}` : thrown.code;
  return { outcome, message: thrown.message };
};

/** Codes that say something about the file; the others are faults. */
const isFault = (outcome: string): boolean =>
  outcome === 'not an EarshotError' || outcome === 'internal_error' || outcome === 'limit_exceeded';

const inputs = mkdtempSync(join(tmpdir(), 'earshot-fuzz-'));
const workDir = join(inputs, 'work');
mkdirSync(workDir);
mkdirSync(join(inputs, 'originals'));
const originals = readOriginals(await makeOriginals(join(inputs, 'originals')));
const makeFile = (number: number): Damaged => damagedFile(originals, seed, number);

async function tryFile(media: MediaWork, number: number): Promise<Line> {
  const { name, kind, bytes } = makeFile(number);
  const folder = mkdtempSync(join(inputs, 'file-'));
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const before = createHash('sha256').update(bytes).digest('hex');
  const faults: string[] = [];
  const steps: Step[] = [];
  const step = async (what: string, work: () => Promise<string>): Promise<string> => {
    const startedAt = performance.now();
    let said: { outcome: string; message?: string };
    try {
      said = { outcome: await work() };
    } catch (thrown) {
      said = outcomeOf(thrown);
      if (isFault(said.outcome)) faults.push(`${what}: ${said.outcome}: ${said.message}`);
    }
    steps.push({ what, ...said, milliseconds: Math.round(performance.now() - startedAt) });
    return said.outcome;
  };
  const signal = new AbortController().signal;
  const checked = await step('check', async () => {
    const outcome = await media.check(path, name, '', signal, 'fuzz');
    if (outcome.ok) return 'ok';
    if (/cannot be checked/.test(outcome.error.message)) faults.push(`check: ${outcome.error.message}`);
    // What a check is told of a process that died.
    if (/damaged and cannot/.test(outcome.error.message)) return 'crashed in check';
    return outcome.error.code;
  });
  // Users of the library do not check first: now and then neither do we.
  if (checked === 'ok' || number % 4 === 0)
    for (const [tool, options] of [
      ['analyze_audio', {}],
      ['convert_audio', { format: ['mp3', 'flac', 'wav', 'opus', 'm4a', 'ogg'][number % 6] }],
      ['cut_audio', { ranges: [[0.2, 0.7]] }],
    ] as const satisfies readonly (readonly [ToolId, object])[])
      await step(tool, async () => {
        const outputDir = mkdtempSync(join(workDir, 'out-'));
        try {
          const { outputs } = await media.run({
            tool,
            inputs: { file_id: [{ path, name }] },
            options: options as never,
            owner: 'fuzz',
            windowSeconds: null,
            outputDir,
            signal,
            onProgress: () => undefined,
          });
          const left = readdirSync(outputDir).filter((file) => !outputs.some((output) => output.filename === file));
          if (left.length > 0) faults.push(`${tool} left ${left.join(', ')}`);
          return 'ok';
        } finally {
          rmSync(outputDir, { recursive: true, force: true });
        }
      });
  if (readdirSync(folder).join() !== name) faults.push(`beside the input there is ${readdirSync(folder).join()}`);
  if (createHash('sha256').update(readFileSync(path)).digest('hex') !== before) faults.push('the input was changed');
  rmSync(folder, { recursive: true, force: true });
  return { number, kind, steps, faults };
}

const open = (): MediaWork =>
  createMediaWork({
    jobSlots: Number(values.lanes),
    maxJobMemoryBytes,
    maxJobSeconds,
    workDir,
    modelsDir: null,
    runsPerProcess: Number(values.reuse),
  });

async function tryOne(number: number): Promise<void> {
  const { name, bytes } = makeFile(number);
  writeFileSync(name, bytes);
  const media = open();
  console.log(`${name}, ${bytes.length} bytes`);
  console.log(JSON.stringify(await tryFile(media, number), null, 2));
  await media.close();
}

const tally = (lines: readonly Line[], of: (line: Line) => readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const each of lines.flatMap(of)) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
};

function report(lines: readonly Line[]): void {
  for (const what of ['check', 'analyze_audio', 'convert_audio', 'cut_audio'])
    console.log(
      `${what}: ` +
        tally(lines, ({ steps }) => steps.filter((each) => each.what === what).map(({ outcome }) => outcome)),
    );
  const slowest = lines
    .flatMap(({ number, kind, steps }) => steps.map((each) => ({ ...each, number, kind })))
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, 5);
  console.log(
    `slowest: ${slowest.map((one) => `${one.what} of ${one.number} (${one.kind}) ${one.milliseconds} ms`).join(', ')}`,
  );
  const crashed = lines.filter(({ steps }) => steps.some(({ outcome }) => outcome.startsWith('crashed')));
  console.log(
    `processes that died, fenced off: ${crashed.map(({ number, kind }) => `${number} (${kind})`).join(', ') || 'none'}`,
  );
  for (const { number, kind, faults } of lines)
    for (const fault of faults) console.log(`FAULT ${number} (${kind}): ${fault}`);
}

async function tryAll(files: number): Promise<number> {
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const journal = join(out, `seed-${seed}.jsonl`);
  const lines: Line[] = existsSync(journal)
    ? readFileSync(journal, 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
    : [];
  const done = new Set(lines.map(({ number }) => number));
  console.log(`seed ${seed}, ${originals.length} kinds, ${done.size} of ${files} files done before`);
  const media = open();
  const [startedAt, fresh, openAtStart] = [performance.now(), files - done.size, readdirSync('/proc/self/fd').length];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let number = next++; number < files; number = next++) {
      if (done.has(number)) continue;
      const line = await tryFile(media, number);
      lines.push(line);
      appendFileSync(journal, `${JSON.stringify(line)}\n`);
      for (const fault of line.faults) console.log(`FAULT ${number} (${line.kind}): ${fault}`);
      if (lines.length % 500 === 0)
        console.log(`${lines.length} files, ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB here`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
  await media.close();
  report(lines);
  const left = readdirSync(workDir);
  if (left.length > 0) console.log(`FAULT: left in the work folder: ${left.join(', ')}`);
  const openNow = readdirSync('/proc/self/fd').length;
  console.log(
    `${fresh} files in ${((performance.now() - startedAt) / 1000).toFixed(0)} s; descriptors ${openAtStart} before, ` +
      `${openNow} after; ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB at the end`,
  );
  return lines.some(({ faults }) => faults.length > 0) || left.length > 0 || openNow > openAtStart + 5 ? 1 : 0;
}

try {
  if (values.only === undefined) process.exitCode = await tryAll(Number(values.files));
  else await tryOne(Number(values.only));
} finally {
  rmSync(inputs, { recursive: true, force: true });
}
