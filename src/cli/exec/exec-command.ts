import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { optionsBesideSteps } from '../../library/contract/chain-calls.ts';
import { badValue } from '../../library/core/checks/schema.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { pathError } from '../../library/core/errors/file-errors.ts';
import type { JsonObject } from '../../library/core/json.ts';
import { type Chain, planChain } from '../../library/runtime/chains/chain.ts';
import { type Checkpoint, openCheckpoint } from '../../library/runtime/chains/checkpoint.ts';
import { recipeChain, requireRecipe } from '../../library/runtime/chains/recipes.ts';
import type { UntypedEngine } from '../../library/runtime/engine/engine-types.ts';
import { createTransfers, type Transfers } from '../../service/commands/transfers.ts';
import { loadConfig } from '../../service/rules/settings/config.ts';
import type { CommandContext } from '../terminal/command-context.ts';
import { createDisplay, type Display } from '../terminal/display.ts';
import { engineExitOf, type ExitCode, exitCodes } from '../terminal/exit.ts';
import { reportFailure } from '../terminal/failed.ts';
import { type ExecJob, execSchema, readJob } from './exec-job.ts';

const help = `
A job:
  {"tool": "loudness", "options": {"target": "podcast"}, "inputs": ["s3://bucket/talk.wav"], "output": "s3://bucket/finished/"}
  {"chain": "podcast", "inputs": ["host.wav", "guest.wav"], "output": "finished/", "checkpoint": "job.state"}

Exit codes: 0 done, 65 the job or its input is at fault, 69 something is missing here, 75 try again (also after a signal), 1 else`;

/** `earshot exec`: one job of a JSON file, for engines that start programs. */
export function defineExec(command: Command, context: CommandContext): void {
  command
    .description(
      'Runs a tool or a chain as a JSON file says, with inputs and outputs by path, link or s3:// address. Writes ' +
        'progress and the result as JSON lines to stdout, and replaces results that are there. See docs/engines.md.',
    )
    .argument('[job]', 'JSON file with the job')
    .option('--schema', 'print the JSON Schema of a job and end')
    .addHelpText('after', help)
    .action(async (path: string | undefined, { schema = false }: { readonly schema?: boolean }) => {
      if (schema) {
        process.stdout.write(`${JSON.stringify(execSchema, null, 2)}\n`);
        return context.finish(exitCodes.ok);
      }
      context.finish(await execute(path, context.signal));
    });
}

async function execute(path: string | undefined, signal: AbortSignal): Promise<ExitCode> {
  const display = createDisplay({ json: true });
  const subject = path === undefined ? undefined : basename(path);
  try {
    if (path === undefined || subject === undefined)
      throw new EarshotError('bad_request', 'Expected a JSON file with a job but received none', {
        nextAction: 'A job is {"tool": "loudness", "inputs": ["talk.wav"], "output": "finished/"}.',
      });
    const { job, hash } = await readJob(path);
    const checkpoint = await openCheckpoint(job.checkpoint ?? null, hash);
    if (checkpoint.result !== null) {
      display.result(subject, { ...checkpoint.result, before: true }, '');
      return exitCodes.ok;
    }
    const result = await runJob(job, subject, { checkpoint, hash, display, signal });
    await checkpoint.finish(result);
    display.result(subject, result, '');
    return exitCodes.ok;
  } catch (thrown) {
    reportFailure(display, subject, thrown);
    return engineExitOf(thrown);
  } finally {
    display.close();
  }
}

interface RunDeps {
  readonly checkpoint: Checkpoint;
  /** Of the job: inputs are fetched anew each time, so their paths and times say nothing. */
  readonly hash: string;
  readonly display: Display;
  readonly signal: AbortSignal;
}

async function runJob(job: ExecJob, subject: string, deps: RunDeps): Promise<JsonObject> {
  const { signal } = deps;
  const transfers = createTransfers(loadConfig(), signal);
  const isSent = transfers.isAddress(job.output);
  if (isSent && !job.output.startsWith('s3://') && !job.output.includes('{name}'))
    throw badValue('output', 'link with {name}, where the name of a result goes', job.output.slice(0, 200));
  const chosen = chosenChain(job);
  if (isSent) await transfers.requireAccess(job.output);
  const work = await mkdtemp(join(tmpdir(), 'earshot-exec-'));
  try {
    const inputs = await bringInputs(job.inputs, transfers, work);
    const folder = isSent ? join(work, 'results') : job.output;
    await mkdir(folder, { recursive: true }).catch((thrown: unknown) => {
      throw pathError(thrown, folder, 'output');
    });
    const { paths, answer } = await runOn(job, chosen, inputs, folder, subject, deps);
    const outputs: string[] = [];
    for (const path of paths) outputs.push(isSent ? await transfers.send(path, job.output) : path);
    return { outputs, ...answer };
  } finally {
    await deps.checkpoint.written();
    await rm(work, { recursive: true, force: true });
  }
}

type Inputs = readonly string[] | Readonly<Record<string, string | readonly string[]>>;

/** Each in a folder of its own: two files may have the same name, and results are named after theirs. */
async function bringInputs(given: Inputs, transfers: Transfers, work: string): Promise<Inputs> {
  let count = 0;
  const bring = async (text: string): Promise<string> => {
    if (!transfers.isAddress(text)) return text;
    const folder = join(work, `input-${(count += 1)}`);
    await mkdir(folder);
    return await transfers.fetch(text, folder);
  };
  const bringAll = async (texts: readonly string[]): Promise<readonly string[]> => {
    const paths: string[] = [];
    for (const text of texts) paths.push(await bring(text));
    return paths;
  };
  if (Array.isArray(given)) return await bringAll(given as readonly string[]);
  const byField: Record<string, string | readonly string[]> = {};
  for (const [field, texts] of Object.entries(given))
    byField[field] = typeof texts === 'string' ? await bring(texts) : await bringAll(texts);
  return byField;
}

interface ChosenChain {
  readonly chain: Chain;
  /** Of its sound; null: as the first file. */
  readonly format: string | null;
}

async function runOn(
  job: ExecJob,
  chosen: ChosenChain | null,
  inputs: Inputs,
  folder: string,
  subject: string,
  { checkpoint, hash, display, signal }: RunDeps,
): Promise<{ readonly paths: readonly string[]; readonly answer: JsonObject }> {
  const shared = {
    outputDir: folder,
    overwrite: true,
    signal,
    onProgress: (progress: Parameters<Display['progress']>[1]) => display.progress(subject, progress),
    onWarning: (warning: Parameters<Display['warning']>[1]) => display.warning(subject, warning),
  };
  const { createEngine } = await import('../../library/runtime/engine/engine.ts');
  await using engine = createEngine();
  if (chosen !== null) {
    const { runChain } = await import('../../library/runtime/chains/run-chain.ts');
    const { chain, format } = chosen;
    const { outputs, ...answer } = await runChain(engine, chain, inputs as readonly string[], {
      ...shared,
      ...(format === null ? {} : { format }),
      ...(job.checkpoint === undefined ? {} : { checkpoint: `${job.checkpoint}.steps`, identity: hash }),
    });
    return { paths: outputs.map(({ path }) => path), answer: answer as unknown as JsonObject };
  }
  const { outputs, ...answer } = await (engine as unknown as UntypedEngine).run(
    job.tool ?? '',
    inputs,
    job.options ?? {},
    {
      ...shared,
      ...(job.formats === undefined ? {} : { formats: job.formats }),
      finishedParts: checkpoint.parts,
      onFinishedPart: (part) => checkpoint.add(part),
    },
  );
  return { paths: outputs.map(({ path }) => path), answer: answer as unknown as JsonObject };
}

/** Before anything is fetched. null: a tool. @throws EarshotError bad_request */
function chosenChain({ chain: given, options = {}, inputs, format }: ExecJob): ChosenChain | null {
  if (given === undefined) return null;
  if (!Array.isArray(inputs)) throw badValue('inputs', 'list of files for a chain', 'an object');
  if (typeof given === 'string') {
    const recipe = requireRecipe(given);
    const chain = recipeChain(recipe, inputs.length, options, 'inputs');
    return { chain, format: format ?? recipe.format };
  }
  if (Object.keys(options).length > 0) throw optionsBesideSteps();
  planChain(given);
  return { chain: given, format: format ?? null };
}
