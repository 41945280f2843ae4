import { EarshotError } from '../../library/core/errors/errors.ts';
import { createProgressMeter } from '../../library/core/progress/progress.ts';
import { addedName } from '../../library/models/added-models.ts';
import { mirrorFolders, modelsFolder } from '../../library/models/folders.ts';
import { addFromHub } from '../../library/models/hub.ts';
import { parseHubName } from '../../library/models/hub-name.ts';
import { installModel } from '../../library/models/install.ts';
import { modelBytes, requireModel } from '../../library/models/manifest.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { type AddFlags, eachModel, megabytes, type ModelsFlags } from './shared.ts';

/** `earshot models install`. */
export async function install(ids: readonly string[], flags: ModelsFlags, signal: AbortSignal): Promise<ExitCode> {
  const folder = modelsFolder(flags.modelsDir);
  // A misspelt name is refused before any download.
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
        present: 'is already installed',
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

/** `earshot models add hf:...`. */
export async function addRecogniser(
  what: string,
  path: string | undefined,
  flags: AddFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const folder = modelsFolder(flags.modelsDir);
  const repository = parseHubName(what);
  if (path !== undefined) throw new EarshotError('bad_request', `Expected no file with ${what} but received ${path}`);
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
      `${what} is added, ${megabytes(modelBytes(model))}, revision ${revision.slice(0, 12)}, licence ${licence}: ` +
        `${folder}\nUse it with: EARSHOT_RECOGNISER=${addedName(model)}`,
    );
    return true;
  });
}
