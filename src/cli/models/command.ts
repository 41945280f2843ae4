import { type Command, Option } from 'commander';
import { modelSlots } from '../../library/models/manifest.ts';
import { modelVariants } from '../../library/models/recogniser-files.ts';
import type { CommandContext } from '../terminal/command-context.ts';
import type { AddFlags, ModelsFlags } from './shared.ts';

/** `earshot models list | install | add | bench | verify`. Only `install` and `add` download anything. */
export function defineModels(models: Command, context: CommandContext): void {
  const withFlags = (command: Command): Command =>
    command
      .option(
        '--models-dir <folder>',
        'folder of the models (default: EARSHOT_MODELS, or earshot/models in your data folder)',
      )
      .option('--json', 'write JSON lines');
  withFlags(
    models
      .command('list', { isDefault: true })
      .description('List all models, what they are for, and which are installed'),
  ).action(async (flags: ModelsFlags) => context.finish(await (await import('./list.ts')).list(flags, context.signal)));
  withFlags(
    models
      .command('install')
      .description(
        'Install models: from a mirror folder (EARSHOT_MODELS_MIRROR), else from where their authors publish them',
      )
      .argument('<ids...>', 'one or more models'),
  ).action(async (ids: string[], flags: ModelsFlags) =>
    context.finish(await (await import('./install.ts')).install(ids, flags, context.signal)),
  );
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
        what.startsWith('hf:')
          ? await (await import('./install.ts')).addRecogniser(what, path, flags, context.signal)
          : await (await import('./add.ts')).add(what, path, flags),
      ),
    );
  withFlags(
    models
      .command('bench')
      .description('Measure how fast speech recognisers are on this machine; `earshot models` shows it afterwards')
      .argument('[ids...]', 'whisper-base, or hf:<owner>/<name>; default: all that are installed'),
  ).action(async (ids: string[], flags: ModelsFlags) =>
    context.finish(await (await import('./bench.ts')).bench(ids, flags, context.signal)),
  );
  withFlags(
    models
      .command('verify')
      .description('Check the files of installed models against their SHA-256')
      .argument('[ids...]', 'default: all that are installed'),
  ).action(async (ids: string[], flags: ModelsFlags) =>
    context.finish(await (await import('./verify.ts')).verify(ids, flags, context.signal)),
  );
}
