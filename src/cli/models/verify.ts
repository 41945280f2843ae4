import { addedModels } from '../../library/models/added-models.ts';
import { searchFolders } from '../../library/models/folders.ts';
import { findModel } from '../../library/models/installed.ts';
import { knownModels, type Model, modelSlots, requireModel } from '../../library/models/manifest.ts';
import { ownModel } from '../../library/models/own-models.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { eachModel, hint, type ModelsFlags } from './shared.ts';

/** `earshot models verify`. */
export async function verify(ids: readonly string[], flags: ModelsFlags, signal: AbortSignal): Promise<ExitCode> {
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
        `${model.id}: ` +
          (check.state === 'installed'
            ? `all files are correct: ${check.folder}`
            : `${check.state}${hint(model, check)}`),
      );
    return good;
  });
}
