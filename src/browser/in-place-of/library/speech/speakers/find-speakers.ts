// In place of speech/speakers/find-speakers.ts: the networks that tell voices apart do not run in a tab.
import { EarshotError } from '../../../../../library/core/errors/errors.ts';

export { speakerPasses } from '../../../../../library/speech/speakers/find-speakers.ts';

export const canFindSpeakers = (): Promise<boolean> => Promise.resolve(false);

/** @throws EarshotError tool_unavailable */
export function findSpeakers(): never {
  throw new EarshotError('tool_unavailable', "A browser's tab does not tell speakers apart by their voices", {
    nextAction:
      'Ask without speaker_labels, or for speaker_channels where each has a channel; ' +
      'the library in Node and a service tell voices apart.',
    details: { field: 'speaker_labels', expected: 'false', received: 'true' },
  });
}
