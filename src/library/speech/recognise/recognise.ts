import type { RecogniserFamily } from '../../models/recogniser-files.ts';
import { findRecogniser } from '../../models/recognisers.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { recogniseWithParakeet } from './parakeet/recognise-parakeet.ts';
import type { RecogniseOptions, RecogniseWith, Recognition } from './windows/recognition.ts';
import { recogniseWithWhisper } from './whisper/recognise-whisper.ts';

const families: Readonly<Record<RecogniserFamily, RecogniseWith>> = {
  parakeet: recogniseWithParakeet,
  whisper: recogniseWithWhisper,
};

/**
 * Recognises speech, with times from the network (Whisper's attention is about 50 ms early; `refineWords` corrects
 * that). Silero VAD finds speech, the chosen recogniser (EARSHOT_RECOGNISER) reads it in windows of at most 30 s that
 * end at pauses. Implausible readings of Whisper are repeated, and so is speech without words. There are no words
 * without speech. Where next to no voice is found, Whisper tells whether somebody whispers, and voices are looked for
 * again without the recording's noise. The result does not depend on the number of cores.
 * @throws EarshotError tool_unavailable without the models; bad_request for a language that the model does not have;
 *   AbortError, within 0.2 s
 */
export async function recognise(sound: SpeechSound, options: RecogniseOptions): Promise<Recognition> {
  const model = await findRecogniser(options.modelsDir, options.recogniser);
  return families[model.family]({ sound, options }, model);
}
