import { EarshotError } from '../../library/core/errors/errors.ts';
import { tryRestorer } from '../../library/dsp/voice/restorer.ts';
import { modelsFolder } from '../../library/models/folders.ts';
import { addCommand, modelBytes, requireSlot } from '../../library/models/manifest.ts';
import { addOwnModel } from '../../library/models/own-models.ts';
import { exitCodes, type ExitCode } from '../terminal/exit.ts';
import { reporting } from '../terminal/failed.ts';
import { megabytes, type ModelsFlags } from './shared.ts';

/** The test that a network must pass for each slot. */
const trials: Readonly<Record<string, Parameters<typeof addOwnModel>[3]>> = { 'voice-restorer': tryRestorer };

/** `earshot models add` with a network of one's own. */
export async function add(id: string, path: string | undefined, flags: ModelsFlags): Promise<ExitCode> {
  const folder = modelsFolder(flags.modelsDir);
  const slot = requireSlot(id);
  if (path === undefined)
    throw new EarshotError('bad_request', `Expected the ONNX file for ${id} but received none`, {
      nextAction: `Run \`${addCommand(id)}\`.`,
    });
  return reporting({ json: flags.json ?? false, subject: id }, async (display) => {
    const model = await addOwnModel(slot, path, folder, trials[id] ?? (() => Promise.resolve()));
    const [file] = model.files;
    display.result(
      id,
      { result: { id, bytes: modelBytes(model), sha256: file?.sha256, folder } },
      `${id} is installed, ${megabytes(modelBytes(model))}, SHA-256 ${file?.sha256}: ${folder}`,
    );
    return exitCodes.ok;
  });
}
