import { EarshotError } from '../../library/core/errors/errors.ts';
import { shownName } from '../../library/core/checks/names.ts';
import { createProgressMeter } from '../../library/core/progress/progress.ts';
import { addedModels, addedName } from '../../library/models/added-models.ts';
import { searchFolders } from '../../library/models/folders.ts';
import { findModel } from '../../library/models/installed.ts';
import { type Model, requireModel } from '../../library/models/manifest.ts';
import { rememberSpeed } from '../../library/models/recogniser-speeds.ts';
import { defaultRecogniser } from '../../library/models/recognisers.ts';
import { measureRecogniser } from '../../library/runtime/recipes/recogniser-speed.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { eachModel, type ModelsFlags, speedText } from './shared.ts';

interface Recogniser {
  /** whisper-base, or hf:owner/name. */
  readonly id: string;
  readonly model: Model;
}

/** `earshot models bench`: measures the speed of recognisers on this machine. */
export async function bench(ids: readonly string[], flags: ModelsFlags, signal: AbortSignal): Promise<ExitCode> {
  const folders = searchFolders(flags.modelsDir);
  const added = (await Promise.all(folders.map(addedModels))).flat();
  const all: Recogniser[] = [
    { id: defaultRecogniser, model: requireModel(defaultRecogniser) },
    ...added.map((model) => ({ id: addedName(model), model })),
  ].filter(({ id }, index, list) => list.findIndex((one) => one.id === id) === index);
  const installed: Recogniser[] = [];
  for (const one of all)
    if ((await findModel(one.model, folders, 'size', signal)).state === 'installed') installed.push(one);
  const unknown = ids.find((id) => !all.some((one) => one.id === id));
  if (unknown !== undefined)
    throw new EarshotError('bad_request', `Expected a speech recogniser but received ${unknown}`, {
      details: { field: 'recogniser', expected: all.map(({ id }) => id), received: shownName(unknown) },
    });
  const chosen = ids.length > 0 ? all.filter(({ id }) => ids.includes(id)) : installed;
  return eachModel(chosen, flags, async ({ id, model }, display) => {
    const meter = createProgressMeter();
    const measured = await measureRecogniser(id, {
      modelsDir: flags.modelsDir,
      signal,
      onProgress: ({ progress, stage }) => display.progress(id, meter(progress, stage)),
    });
    const speed = { ...measured, measuredAt: new Date().toISOString() };
    await rememberSpeed(model, speed);
    display.result(id, { result: { id, ...speed } }, `${id}: ${speedText(speed)}`);
    return true;
  });
}
