// One run of a tool with the sources of a tree, in a process of its own: prints CPU and wall seconds, peak memory and
// the hash of the output, or of the result where there is none, as a line of JSON.
//   node bench/segments/run-once.ts TREE remove_noise FILE '{"output_format":"wav"}' CORES
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { noFinishedParts } from '../../src/library/core/progress/finished-parts.ts';
import type { RunModule, RunOutput } from '../../src/library/tools/declare/run.ts';

const [tree = '', tool = '', path = '', options = '{}', cores = '1'] = process.argv.slice(2);
const load = (file: string): Promise<unknown> => import(pathToFileURL(join(tree, 'src/library', file)).href);
// The other tree's modules are of the same form, as far as they are used here.
const { requireTool } = (await load('tools/registry.ts')) as typeof import('../../src/library/tools/registry.ts');
const { createFanOut } = (await load(
  'runtime/job/fan-out.ts',
)) as typeof import('../../src/library/runtime/job/fan-out.ts');
const { run } = (await load(`tools/${tool}/run.ts`)) as RunModule;
const { signal } = new AbortController();
const workDir = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
const before = process.cpuUsage();
const started = performance.now();
const { outputs, result } = await run({
  // level_speakers asks for tracks, too.
  inputs: { file_id: { path, name: basename(path) }, track_file_ids: [] },
  options: requireTool(tool).parseOptions(JSON.parse(options) as object),
  workDir,
  signal,
  parallelism: Number(cores),
  modelsDir: undefined,
  progress: () => undefined,
  pass: () => () => undefined,
  partial: () => undefined,
  warn: () => undefined,
  finished: noFinishedParts,
  fanOut: createFanOut(Number(cores), signal),
});
const wallSeconds = (performance.now() - started) / 1e3;
const { user, system } = process.cpuUsage(before);
const hash = createHash('md5')
  .update(outputs.length > 0 ? readFileSync((outputs[0] as RunOutput).path) : JSON.stringify(result))
  .digest('hex');
console.log(
  JSON.stringify({
    wallSeconds,
    cpuSeconds: (user + system) / 1e6,
    peakMb: process.resourceUsage().maxRSS / 1024,
    hash,
  }),
);
rmSync(workDir, { recursive: true, force: true });
// Idle threads would keep the process.
process.exit();
