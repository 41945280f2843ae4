import type { Command } from 'commander';
import { isAbortError } from '../core/abort.ts';
import { createProgressMeter } from '../core/progress.ts';
import { modelsFolder, mirrorFolders } from '../models/folders.ts';
import { installModel } from '../models/install.ts';
import { checkModel, installCommand, type ModelCheck } from '../models/installed.ts';
import { tryRestorer } from '../dsp/voice/restorer.ts';
import {
  addCommand,
  knownModels,
  type Model,
  modelBytes,
  modelSlots,
  plannedModels,
  requireModel,
  requireSlot,
} from '../models/manifest.ts';
import { addOwnModel, ownModel } from '../models/own-models.ts';
import { createDisplay } from './terminal/display.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './terminal/exit.ts';
import type { CommandContext } from './terminal/command-context.ts';

interface ModelsFlags {
  readonly modelsDir?: string;
  readonly json?: boolean;
}

/** Under the names. */
const indent = 25;
const columns = (id: string, state: string, size: string): string =>
  `${id.padEnd(indent - 1)} ${state.padEnd(10)} ${size.padStart(8)}`;
const rates = (sampleRatesHz: readonly number[]): string =>
  `${sampleRatesHz.map((rate) => rate / 1000).join(' and ')} kHz`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** What a network has to do in each place before it is taken. */
const trials: Readonly<Record<string, Parameters<typeof addOwnModel>[3]>> = { 'voice-restorer': tryRestorer };

/** `earshot models list | install | add | verify`. Nothing is downloaded but by `install`. */
export function addModelsCommand(program: Command, context: CommandContext): void {
  const models = program
    .command('models')
    .description('List, install and verify models. Nothing is downloaded unless you ask for it here');
  const withFlags = (command: Command): Command =>
    command
      .option(
        '--models-dir <folder>',
        'where models lie (default: EARSHOT_MODELS, or earshot/models in your data folder)',
      )
      .option('--json', 'write JSON lines');
  withFlags(
    models.command('list').description('Say which models there are, what they are for, and which are installed'),
  ).action(async (flags: ModelsFlags) => context.finish(await list(flags, context.signal)));
  withFlags(
    models
      .command('install')
      .description(
        'Install models: from a mirror folder (EARSHOT_MODELS_MIRROR), else from where their authors publish them',
      )
      .argument('<ids...>', 'one or more models'),
  ).action(async (ids: string[], flags: ModelsFlags) => context.finish(await install(ids, flags, context.signal)));
  withFlags(
    models
      .command('add')
      .description('Put an ONNX network of your own into its place: tried, then pinned by its SHA-256')
      .argument(
        '<place>',
        modelSlots()
          .map(({ id }) => id)
          .join(', '),
      )
      .argument('<file>', 'the ONNX file'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  earshot models add voice-restorer my-network.onnx\n\n' +
        'docs/models.md says what a network has to be like.',
    )
    .action(async (id: string, path: string, flags: ModelsFlags) => context.finish(await add(id, path, flags)));
  withFlags(
    models
      .command('verify')
      .description('Hold the files of installed models against their SHA-256')
      .argument('[ids...]', 'default: all that are installed'),
  ).action(async (ids: string[], flags: ModelsFlags) => context.finish(await verify(ids, flags, context.signal)));
}

async function list(flags: ModelsFlags, signal: AbortSignal): Promise<ExitCode> {
  const folder = modelsFolder(flags.modelsDir);
  const display = createDisplay({ json: flags.json ?? false });
  display.note(`Models in ${folder}`);
  for (const model of knownModels()) {
    const check = await checkModel(model, folder, 'size', signal);
    const { id, title, purpose, licence, homepage, sampleRatesHz } = model;
    const value = { id, title, purpose, licence, homepage, sampleRatesHz, bytes: modelBytes(model), ...check };
    display.result(
      id,
      { result: value },
      `${columns(id, check.state, megabytes(value.bytes))}  ${rates(sampleRatesHz)}, ` +
        `${licence}\n${' '.repeat(indent)}${title}: ${purpose}${hint(model, check)}`,
    );
  }
  for (const slot of modelSlots()) {
    const { id, title, purpose, sampleRatesHz } = slot;
    const model = await ownModel(slot, folder);
    const check: ModelCheck = model
      ? await checkModel(model, folder, 'size', signal)
      : { state: 'missing', problems: [] };
    const value = { id, title, purpose, sampleRatesHz, own: true, bytes: model ? modelBytes(model) : null, ...check };
    const lines = [
      `${columns(id, model ? check.state : 'empty', model ? megabytes(modelBytes(model)) : '')}  ` +
        `${rates(sampleRatesHz)}, a network of your own`,
      `${title}: ${purpose}`,
      ...(check.state === 'installed' ? [] : [...check.problems, `Put one in with: ${addCommand(id)}`]),
    ];
    display.result(id, { result: value }, lines.join(`\n${' '.repeat(indent)}`));
  }
  for (const model of plannedModels()) {
    const { id, title, purpose, licence, sampleRatesHz, bytes, wanting } = model;
    const size = bytes === null ? '' : megabytes(bytes);
    display.result(
      id,
      { result: { ...model, state: 'planned' } },
      `${columns(id, 'planned', size)}  ` +
        `${rates(sampleRatesHz)}${licence === null ? '' : `, ${licence}`}\n${' '.repeat(indent)}${title}: ` +
        `${purpose}\n${' '.repeat(indent)}Not installable yet: ${wanting}`,
    );
  }
  return exitCodes.ok;
}

function hint(model: Model, { state, problems }: ModelCheck): string {
  if (state === 'installed') return '';
  return `\n${' '.repeat(indent)}${[...problems, `${state === 'broken' ? 'Repair' : 'Install'} it with: ${installCommand(model)}`].join('\n'.padEnd(indent + 1))}`;
}

async function eachModel(
  models: readonly Model[],
  flags: ModelsFlags,
  work: (model: Model, display: ReturnType<typeof createDisplay>) => Promise<boolean>,
): Promise<ExitCode> {
  const display = createDisplay({ json: flags.json ?? false });
  const codes: ExitCode[] = [];
  try {
    for (const model of models) {
      try {
        codes.push((await work(model, display)) ? exitCodes.ok : exitCodes.failed);
      } catch (thrown) {
        if (isAbortError(thrown))
          display.note('earshot: interrupted; what was downloaded is kept, and the next install goes on from there');
        else display.error(model.id, thrown);
        codes.push(exitCodeOf(thrown));
        if (isAbortError(thrown)) break;
      }
    }
  } finally {
    display.close();
  }
  return codes.find((code) => code !== exitCodes.ok) ?? exitCodes.ok;
}

async function install(ids: readonly string[], flags: ModelsFlags, signal: AbortSignal): Promise<ExitCode> {
  const folder = modelsFolder(flags.modelsDir);
  // A misspelt name is refused before anything is downloaded.
  return eachModel(
    [...new Set(ids)].map((id) => requireModel(id)),
    flags,
    async (model, display) => {
      const meter = createProgressMeter();
      const { from } = await installModel(model, {
        folder,
        mirrors: mirrorFolders(),
        signal,
        onProgress: (fraction, stage) => display.progress(model.id, meter(fraction, stage)),
        onNote: (text) => display.note(text),
      });
      const how = {
        present: 'was installed already',
        mirror: 'installed from a mirror',
        download: 'downloaded and installed',
      }[from];
      display.result(
        model.id,
        { result: { id: model.id, from, folder } },
        `${model.id} ${how}, ${megabytes(modelBytes(model))}: ${folder}`,
      );
      return true;
    },
  );
}

async function add(id: string, path: string, flags: ModelsFlags): Promise<ExitCode> {
  const folder = modelsFolder(flags.modelsDir);
  const slot = requireSlot(id);
  const display = createDisplay({ json: flags.json ?? false });
  try {
    const model = await addOwnModel(slot, path, folder, trials[id] ?? (() => Promise.resolve()));
    const [file] = model.files;
    display.result(
      id,
      { result: { id, bytes: modelBytes(model), sha256: file?.sha256, folder } },
      `${id} is in its place, ${megabytes(modelBytes(model))}, SHA-256 ${file?.sha256}: ${folder}`,
    );
    return exitCodes.ok;
  } catch (thrown) {
    display.error(id, thrown);
    return exitCodeOf(thrown);
  } finally {
    display.close();
  }
}

async function verify(ids: readonly string[], flags: ModelsFlags, signal: AbortSignal): Promise<ExitCode> {
  const folder = modelsFolder(flags.modelsDir);
  const own = (await Promise.all(modelSlots().map((slot) => ownModel(slot, folder)))).filter((model) => model !== null);
  const chosen =
    ids.length > 0
      ? [...new Set(ids)].map((id) => own.find((model) => model.id === id) ?? requireModel(id))
      : [...knownModels(), ...own];
  return eachModel(chosen, flags, async (model, display) => {
    const check = await checkModel(model, folder, 'hash', signal);
    const good = check.state === 'installed' || (check.state === 'missing' && ids.length === 0);
    if (check.state !== 'missing' || ids.length > 0)
      display.result(
        model.id,
        { result: { id: model.id, ...check } },
        `${model.id}: ${check.state === 'installed' ? 'every file is right' : `${check.state}${hint(model, check)}`}`,
      );
    return good;
  });
}
