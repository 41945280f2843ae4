import { EarshotError } from '../../core/errors/errors.ts';
import type { Unavailability } from '../../contract/unavailable.ts';
import { searchFolders } from '../../models/folders.ts';
import { findModel, installCommand } from '../../models/installed.ts';
import { requireModel } from '../../models/manifest.ts';
import { defaultRecogniser, findRecogniser, wantedRecogniser } from '../../models/recognisers.ts';

/** Voice activity and speakers. */
const networks = ['silero-vad', 'pyannote-segmentation-3.0', 'campplus'];

/**
 * The missing or damaged weights and the command that installs them; null: complete.
 * @param glance looks at no bytes of the usual recogniser
 */
export async function missingWeights(glance = false): Promise<Unavailability | null> {
  const bySize = glance && wantedRecogniser() === defaultRecogniser;
  try {
    if (!bySize) await findRecogniser(undefined);
  } catch (thrown) {
    const { code, message, nextAction } = EarshotError.from(thrown);
    if (code !== 'tool_unavailable' && code !== 'bad_request') throw thrown;
    return { message, nextAction: nextAction ?? 'Run `npm install earshot-models` and try again.' };
  }
  for (const id of bySize ? [defaultRecogniser, ...networks] : networks) {
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
