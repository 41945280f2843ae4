import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { EarshotError } from '../library/core/errors/errors.ts';
import { pathError } from '../library/core/errors/file-errors.ts';
import { badValue } from '../library/core/checks/schema.ts';
import { shownName, whatWasMeant } from '../library/core/checks/names.ts';
import { removeFolder } from '../library/core/files/remove-folder.ts';
import { shortPath } from '../library/core/files/short-path.ts';
import { type Chain, planChain } from '../library/runtime/chains/chain.ts';
import { isSoundFormat } from '../library/runtime/chains/forms.ts';
import { findRecipe, type Recipe, recipeChain, recipes } from '../library/runtime/chains/recipes.ts';
import type { ChainOptions, ChainRun } from '../library/runtime/chains/chain-run.ts';
import { findTool, requireTool } from '../library/tools/registry.ts';
import {
  type ChainPreset,
  chainOfPreset,
  describePreset,
  findChainPreset,
  type FoundPreset,
  noChainGiven,
  presetNames,
  saveChainPreset,
} from './chain-presets.ts';
import { textOrFile } from './tool/typed-values.ts';
import type { CommandContext } from './terminal/command-context.ts';
import type { Display } from './terminal/display.ts';
import { exitCodes, type ExitCode } from './terminal/exit.ts';
import { reporting } from './terminal/failed.ts';
import { terminalWords } from './terminal/wording.ts';
import { table } from './terminal/values.ts';

interface RunFlags extends Readonly<Record<string, unknown>> {
  readonly output?: string;
  readonly format?: string;
  readonly overwrite?: boolean;
  readonly dryRun?: boolean;
  readonly save?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  # An episode with its transcript, of a track for each speaker
  earshot run podcast host.wav guest.wav -o episode.mp3
  # A chain of your own: steps in a JSON file (docs/chains.md)
  earshot run my-chain.json talk.wav
  # What would be done
  earshot run podcast talk.wav --dry-run
  # Under a name, for this folder (earshot.presets.json): saved, run, listed
  earshot run podcast --target broadcast --format mp3 --save radio
  earshot run radio talk.wav
  earshot run --list`;

/** `earshot run`: several tools after each other, as one. */
export function defineRun(command: Command, context: CommandContext): void {
  const run = withFlags(
    command
      .usage('<chain> [files...] [options]')
      .description(
        'Runs several tools after each other. Between the steps sound stays as it is, without a loss; only the ' +
          'results are encoded. A chain is one of those below, a JSON file with its steps, or one that was saved.',
      )
      // Options behind the name of a chain are the chain's.
      .enablePositionalOptions()
      .argument('[chain]', 'a JSON file with steps, or the name of a saved chain')
      .argument('[files...]', 'what it works on, in order'),
  )
    .option('--list', 'show the chains that there are, saved ones with the file that has them')
    .addHelpText('after', examples)
    .action(async (chain: string | undefined, files: string[], flags: RunFlags) =>
      context.finish(await (flags.list === true ? listChains(flags) : runNamed(chain, files, flags, context.signal))),
    );
  for (const recipe of recipes) addRecipe(run, recipe, context);
}

function addRecipe(run: Command, recipe: Recipe, context: CommandContext): void {
  const command = run
    .command(recipe.name)
    .summary(recipe.summary)
    .description(recipe.description)
    .argument('[files...]', recipe.files.title);
  for (const [
    name,
    { description, off, choices, range, orFile = false, perFile = false, default: usual },
  ] of Object.entries(recipe.options)) {
    if (perFile || range !== undefined) command.addOption(new Option(`--${name} <names>`, description).default(usual));
    else if (orFile) command.option(`--${name} <text|file>`, description, textOrFile);
    else if (choices?.length === 0) command.option(`--${name} <text>`, description);
    else if (choices !== null)
      command.addOption(new Option(`--${name} <name>`, description).choices(choices).default(usual));
    else if (usual === true) command.option(`--no-${name}`, off ?? description);
    else command.option(`--${name}`, description);
  }
  const { picture } = recipe;
  if (picture !== undefined) command.option(`--${picture.role} <picture>`, picture.description);
  withFlags(command).action(async (recordings: string[], flags: RunFlags) => {
    const given = Object.keys(recipe.options).flatMap((name) =>
      flags[name] === undefined ? [] : [[name, flags[name]]],
    );
    const { files, options } = withPicture(recipe, recordings, Object.fromEntries(given), flags);
    const chain = (): Chain => recipeChain(recipe, files.length, options, 'files');
    const preset = (): ChainPreset => {
      const usual = (name: string): unknown => recipe.options[name]?.default;
      const changed = Object.entries(options).filter(([name, value]) => value !== usual(name));
      return { recipe: recipe.name, ...(changed.length === 0 ? {} : { options: Object.fromEntries(changed) }) };
    };
    context.finish(await runFiles({ chain, preset, format: recipe.format }, files, flags, context.signal));
  });
}

/** A picture comes last among the files, with its role. */
function withPicture(
  { picture, options: { roles: usual } }: Recipe,
  recordings: readonly string[],
  options: Readonly<Record<string, unknown>>,
  flags: RunFlags,
): { readonly files: readonly string[]; readonly options: Readonly<Record<string, unknown>> } {
  const path = picture === undefined ? undefined : flags[picture.role];
  if (picture === undefined || typeof path !== 'string') return { files: recordings, options };
  const { roles: given = usual?.default } = options;
  const named = typeof given === 'string' ? given.split(',') : [];
  const roles = named.length === 1 ? recordings.map(() => named[0]) : named;
  return { files: [...recordings, path], options: { ...options, roles: [...roles, picture.role].join(',') } };
}

const withFlags = (command: Command): Command =>
  command
    .option(
      '-o, --output <file>',
      'the resulting sound; its extension is its format, and further results go beside it (default: beside the first ' +
        'file, <name>.<chain>.<extension>)',
    )
    .option('--format <name>', 'of the resulting sound: wav, mp3, m4a, flac, ogg, opus (default: as the first file)')
    .option('-y, --overwrite', 'replace existing files')
    .option('--dry-run', 'show the steps and do nothing')
    .option(
      '--save <name>',
      'keep the chain with its options and format in earshot.presets.json; runs it where files are given',
    )
    .option('--json', 'write JSON lines to stdout: progress, warnings, and the result or the error');

/** What a command names. */
interface Named {
  /** For the files that are given. */
  chain(): Chain | Promise<Chain>;
  /** As it is saved. */
  preset(): ChainPreset | Promise<ChainPreset>;
  /** That it gives its sound; null: as the first file. */
  readonly format: string | null;
}

/** Runs a file with steps, or a saved chain. */
async function runNamed(
  named: string | undefined,
  files: readonly string[],
  flags: RunFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const lazily = (): FoundPreset | null => {
    if (named === undefined) throw noChainGiven();
    return isFileName(named) ? null : findChainPreset(named);
  };
  return runFiles(
    () => {
      const found = lazily();
      return {
        chain: () => (found === null ? readChain(named ?? '') : chainOfPreset(found, files.length)),
        preset: async () => found?.preset ?? { steps: (await readChain(named ?? '')).steps },
        format: found?.preset.format ?? null,
      };
    },
    files,
    flags,
    signal,
  );
}

/** Files are named with their ending, or by a path. */
const isFileName = (named: string): boolean => extname(named) !== '' || /[/\\]/.test(named);

function listChains(flags: RunFlags): Promise<ExitCode> {
  return reporting({ json: flags.json ?? false }, (display) => {
    const saved = presetNames().flatMap((name) => findChainPreset(name) ?? []);
    const rows = [
      ...recipes.map(({ name, summary }): [string, string] => [name, summary]),
      ...saved.map((each): [string, string] => [each.name, describePreset(each)]),
    ];
    display.result('chains', { recipes: recipes.map(({ name }) => name), saved }, table(rows));
    return exitCodes.ok;
  });
}

/**
 * What `--run` names: a recipe, a tool, a saved chain, or a file with steps.
 * @throws EarshotError not_found, bad_request
 */
export async function chainMaker(
  named: string,
): Promise<{ readonly format: string | null; chainFor(files: number): Chain }> {
  const recipe = findRecipe(named);
  if (recipe !== undefined)
    return { format: recipe.format, chainFor: (files) => recipeChain(recipe, files, {}, 'files') };
  const tool = findTool(named);
  const found = tool !== undefined || isFileName(named) ? null : findChainPreset(named);
  if (found !== null) return { format: found.preset.format ?? null, chainFor: (files) => chainOfPreset(found, files) };
  const chain = tool === undefined ? await readChain(named) : { name: tool.slug, steps: [{ tool: tool.id }] };
  planChain(chain);
  return { format: null, chainFor: () => chain };
}

/** @throws EarshotError not_found, bad_request */
async function readChain(path: string): Promise<Chain> {
  const names = [...recipes.map(({ name }) => name), ...presetNames()];
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw pathError(thrown, path, 'input');
    throw new EarshotError(
      'not_found',
      `There is no chain ${shownName(path)}, and no file of that name; ${whatWasMeant(path, names)}`,
      { nextAction: 'Name a chain, or a JSON file with steps (docs/chains.md).' },
    );
  });
  try {
    return JSON.parse(text) as Chain;
  } catch (thrown) {
    throw new EarshotError('bad_request', `Expected JSON in ${shortPath(path)} but ${(thrown as Error).message}`, {
      nextAction: 'A chain is {"steps": [{"tool": "remove-noise"}, {"tool": "loudness"}]}; see docs/chains.md.',
    });
  }
}

async function runFiles(
  given: Named | (() => Named),
  files: readonly string[],
  flags: RunFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  return reporting({ json: flags.json ?? false, left: 'the same command goes on where it was' }, async (display) => {
    const named = typeof given === 'function' ? given() : given;
    if (flags.save !== undefined) await save(flags.save, named, flags, display);
    if (flags.save !== undefined && files.length === 0) return exitCodes.ok;
    const chain = await named.chain();
    if (files.length === 0) throw noChainGiven();
    const subject = chain.name ?? 'chain';
    if (flags.dryRun === true) {
      const { steps } = planChain(chain);
      display.plan(subject, { steps: chain.steps }, `${subject}:\n${table(steps.map(stepRow))}`);
      return exitCodes.ok;
    }
    const format = flags.format ?? (flags.output === undefined ? (named.format ?? undefined) : undefined);
    const options: ChainOptions = {
      overwrite: flags.overwrite ?? false,
      signal,
      onProgress: (progress) => display.progress(subject, progress),
      onWarning: (warning) => display.warning(subject, warning),
      ...(flags.output === undefined ? {} : { output: flags.output }),
      ...(format === undefined ? {} : { format }),
    };
    const [{ createEngine }, { runChain }] = await Promise.all([
      import('../library/runtime/engine/engine.ts'),
      import('../library/runtime/chains/run-chain.ts'),
    ]);
    await using engine = createEngine();
    const run = await runChain(engine, chain, files, {
      ...options,
      ...(await goingOn(chain, files, options, display)),
    });
    display.close();
    display.result(subject, { ...run, outputs: run.outputs.map(({ path }) => path) }, describe(run));
    const isMet = run.steps.every(({ tool, results }) =>
      results.every((result) => requireTool(tool).passed?.(result) ?? true),
    );
    return isMet ? exitCodes.ok : exitCodes.failed;
  });
}

async function save(name: string, { preset }: Named, { format }: RunFlags, display: Display): Promise<void> {
  if (format !== undefined && !isSoundFormat(format))
    throw badValue('format', 'one of wav, mp3, m4a, flac, ogg, opus', format);
  const file = saveChainPreset(name, { ...(await preset()), ...(format === undefined ? {} : { format }) });
  display.note(`Saved ${name} in ${shortPath(file)}: earshot run ${name} <files...>`);
}

/** What an interrupted chain has done is kept for so long. */
const keptDays = 7;
const keptKind = '.earshot-chain-';

/** Where this chain goes on after a kill: beside its results. What others left there a week ago is removed. */
async function goingOn(
  chain: Chain,
  files: readonly string[],
  { output, format, overwrite }: ChainOptions,
  display: Display,
): Promise<Pick<ChainOptions, 'checkpoint' | 'onGoOn'>> {
  const folder = dirname(resolve(output ?? files[0] ?? ''));
  const order = JSON.stringify([chain, files.map((path) => resolve(path)), output, format, overwrite]);
  const name = keptKind + createHash('sha256').update(order).digest('hex').slice(0, 16);
  for (const entry of await readdir(folder).catch(() => [])) {
    if (!entry.startsWith(keptKind) || entry === name) continue;
    const state = await stat(join(folder, entry, 'state.json')).catch(() => null);
    if (state !== null && Date.now() - state.mtimeMs > keptDays * 86_400_000) await removeFolder(join(folder, entry));
  }
  return {
    checkpoint: join(folder, name),
    onGoOn: (done) => display.note(`Goes on where an earlier run was interrupted; done before: ${done.join(', ')}`),
  };
}

type Planned = ReturnType<typeof planChain>['steps'][number];

const stepRow = ({ name, tool, sources, options, isResult }: Planned): [string, string] => [
  name,
  [
    tool.title,
    `of ${Object.values(sources).flat().join(', ')}`,
    ...Object.entries(options).map(([option, value]) => `${option} ${JSON.stringify(value)}`),
    ...(isResult ? ['a result'] : []),
  ].join(', '),
];

function describe({ outputs, steps }: ChainRun): string {
  const did = steps.map(({ name, tool, results }) => {
    const words = results.map((result) => requireTool(tool).inWords(result)).filter((each) => each !== '');
    return `  ${name}: ${words.length === 0 ? 'done' : terminalWords(words.join('; '))}`;
  });
  return [outputs.map(({ path }) => shortPath(path)).join(', '), ...did].join('\n');
}
