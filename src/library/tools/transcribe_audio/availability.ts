import { EarshotError } from '../../core/errors/errors.ts';
import type { Unavailability } from '../../contract/unavailable.ts';
import { searchFolders } from '../../models/folders.ts';
import { findModel, installCommand } from '../../models/installed.ts';
import { requireModel } from '../../models/manifest.ts';
import { findRecogniser } from '../../models/recognisers.ts';

/** Voice activity and speakers. */
const networks = ['silero-vad', 'pyannote-segmentation-3.0', 'campplus'];

let asked: Promise<Unavailability | null> | null = null;

/**
 * The missing or damaged weights and the command that installs them; null: complete. Tools that ask at the same time
 * get one answer.
 */
export const missingWeights = (): Promise<Unavailability | null> =>
  (asked ??= look().finally(() => {
    asked = null;
  }));

async function look(): Promise<Unavailability | null> {
  try {
    await findRecogniser(undefined);
  } catch (thrown) {
    const { code, message, nextAction } = EarshotError.from(thrown);
    if (code !== 'tool_unavailable' && code !== 'bad_request') throw thrown;
    return { message, nextAction: nextAction ?? 'Run `npm install earshot-models` and try again.' };
  }
  for (const id of networks) {
    const model = requireModel(id);
    const { state } = await findModel(model, searchFolders(undefined), 'size');
    if (state === 'installed') continue;
    return {
      message: `The model ${id} is ${state === 'missing' ? 'not installed' : 'damaged'}`,
      nextAction: `Run \`${installCommand(model)}\` and try again.`,
    };
  }
  return null;
}
