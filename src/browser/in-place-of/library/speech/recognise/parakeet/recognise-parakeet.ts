// In place of speech/recognise/parakeet/recognise-parakeet.ts: Whisper is the recogniser of a tab.
import { EarshotError } from '../../../../../../library/core/errors/errors.ts';

/** @throws EarshotError tool_unavailable */
export function recogniseWithParakeet(): never {
  throw new EarshotError('tool_unavailable', "A browser's tab reads with whisper-base alone");
}
