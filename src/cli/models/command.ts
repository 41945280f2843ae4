import { type Command, Option } from 'commander';
import { EarshotError } from '../../core/errors.ts';
import { createProgressMeter } from '../../core/progress.ts';
import { mirrorFolders, modelsFolder, searchFolders } from '../../models/folders.ts';
import { installModel } from '../../models/install.ts';
import { findModel } from '../../models/installed.ts';
import { tryRestorer } from '../../dsp/voice/restorer.ts';
import { addedModels, addedName } from '../../models/added-models.ts';
import { addFromHub } from '../../models/hub.ts';
import { parseHubName } from '../../models/hub-name.ts';
import {
  addCommand,
  knownModels,
  type Model,
  modelBytes,
  modelSlots,
  requireModel,
  requireSlot,
} from '../../models/manifest.ts';
import { addOwnModel, ownModel } from '../../models/own-models.ts';
import { modelVariants, type ModelVariant } from '../../models/recogniser-files.ts';
import { createDisplay } from '../terminal/display.ts';
import { exitCodeOf, exitCodes, type ExitCode } from '../terminal/exit.ts';
import type { CommandContext } from '../terminal/command-context.ts';
import { bench } from './bench.ts';
import { list } from './list.ts';
import { eachModel, hint, megabytes, type ModelsFlags } from './shared.ts';

interface AddFlags extends ModelsFlags {
  readonly variant: ModelVariant;
}

/** What a network has to do in each place before it is taken. */
const trials: Readonly<Record<string, Parameters<typeof addOwnModel>[3]>> = { 'voice-restorer': tryRestorer };

/** `earshot models list | install | add | bench | verify`. Nothing is downloaded but by `install`. */
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
    models
      .command('list', { isDefault: true })
      .description('Say which models there are, what they are for, and which are installed'),
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
      .description('Add a speech recogniser from the model hub, or put an ONNX network of your own into its place')
      .argument(
        '<what>',
        `hf:<owner>/<name>[@revision], or a place: ${modelSlots()
          .map(({ id }) => id)
          .join(', ')}`,
      )
      .argument('[file]', 'for a place: the ONNX file')
      .addOption(
        new Option('--variant <name>', 'of a recogniser: which of its weights')
          .choices(modelVariants)
          .default('quantized'),
      ),
  )
    .addHelpText(
      'after',
      `
Examples:
  earshot models add hf:onnx-community/whisper-small_timestamped
  earshot models add hf:onnx-community/whisper-large-v3-turbo_timestamped@main --variant fp16
  earshot models add voice-restorer my-network.onnx

A recogniser's revision and the SHA-256 of every file are pinned when it is added; a download that was cut off goes on in the
next call. HF_ENDPOINT names another hub, HF_TOKEN is sent to it. To use it: EARSHOT_RECOGNISER=hf:<owner>/<name>.
docs/models.md says what a network of your own has to be like.`,
    )
    .action(async (what: string, path: string | undefined, flags: AddFlags) =>
      context.finish(
        what.startsWith('hf:') ? await addRecogniser(what, path, flags, context.signal) : await add(what, path, flags),
      ),
    );
  withFlags(
    models
      .command('bench')
      .description('Measure how quick speech recognisers are on this machine; `earshot models` shows it from then on')
      .argument('[ids...]', 'whisper-base, or hf:<owner>/<name>; default: all that are installed'),
  ).action(async (ids: string[], flags: ModelsFlags) => context.finish(await bench(ids, flags, context.signal)));
  withFlags(
    models
      .command('verify')
      .description('Hold the files of installed models against their SHA-256')
      .argument('[ids...]', 'default: all that are installed'),
  ).action(async (ids: string[], flags: ModelsFlags) => context.finish(await verify(ids, flags, context.signal)));
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

async function addRecogniser(
  what: string,
  path: string | undefined,
  flags: AddFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const folder = modelsFolder(flags.modelsDir);
  const repository = parseHubName(what);
  if (path !== undefined) throw new EarshotError('bad_request', `Expected no file beside ${what} but received ${path}`);
  const meter = createProgressMeter();
  return eachModel([{ id: what }], flags, async (_, display) => {
    const model = await addFromHub(repository, {
      folder,
      variant: flags.variant,
      signal,
      onProgress: (fraction, stage) => display.progress(what, meter(fraction, stage)),
      onNote: (text) => display.note(text),
    });
    const { family, variant, revision, licence } = model;
    display.result(
      what,
      { result: { id: addedName(model), family, variant, revision, licence, bytes: modelBytes(model), folder } },
      `${what} is added, ${megabytes(modelBytes(model))}, revision ${revision.slice(0, 12)}, licence ${licence}: ${folder}\n` +
        `Use it with: EARSHOT_RECOGNISER=${addedName(model)}`,
    );
    return true;
  });
}

async function add(id: string, path: string | undefined, flags: ModelsFlags): Promise<ExitCode> {
  const folder = modelsFolder(flags.modelsDir);
  const slot = requireSlot(id);
  if (path === undefined)
    throw new EarshotError('bad_request', `Expected the ONNX file for ${id} but received none`, {
      nextAction: `Run \`${addCommand(id)}\`.`,
    });
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
  const folders = searchFolders(flags.modelsDir);
  const found = await Promise.all(
    folders.map(async (folder) => [
      ...(await Promise.all(modelSlots().map((slot) => ownModel(slot, folder)))).filter((model) => model !== null),
      ...(await addedModels(folder)),
    ]),
  );
  const others = found.flat();
  const named = (id: string): Model =>
    others.find((model) => [model.id, `hf:${model.title}`].includes(id)) ?? requireModel(id);
  const chosen = ids.length > 0 ? [...new Set(ids)].map(named) : [...knownModels(), ...others];
  return eachModel(chosen, flags, async (model, display) => {
    const check = await findModel(model, folders, 'hash', signal);
    const good = check.state === 'installed' || (check.state === 'missing' && ids.length === 0);
    if (check.state !== 'missing' || ids.length > 0)
      display.result(
        model.id,
        { result: { id: model.id, ...check } },
        `${model.id}: ${check.state === 'installed' ? `every file is right: ${check.folder}` : `${check.state}${hint(model, check)}`}`,
      );
    return good;
  });
}
