// Prints of several recordings of one person.
import { directionOf, directionText, type VoicePrint } from '../../contract/voice-print.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { cosine, meanDirection } from './directions.ts';

/** Directions of one person in two recordings are more alike than this: the least of 66 pairs was .67. */
const leastSamePerson = 0.45;
/** No recording counts for more seconds than this beside the others. */
const mostWeight = 60;

/** Prints of other weights are refused, not compared. */
export function otherModel(): EarshotError {
  return new EarshotError(
    'bad_request',
    'The voice print was made with another network than the one that is installed',
    {
      nextAction: 'Make the print again from a recording.',
      details: { reason: 'print_of_other_model' },
    },
  );
}

/**
 * One print of several recordings of a person: their mean, in which no recording counts for more than a minute.
 * Recordings of other days and rooms are worth more than minutes of one.
 * @throws EarshotError bad_request for prints of different networks, and of voices that are not alike
 *   (details.reason: print_of_other_model, other_voice)
 */
export function joinVoicePrints(a: VoicePrint, b: VoicePrint): VoicePrint {
  if (a.model !== b.model) throw otherModel();
  if (cosine(directionOf(a.plain), directionOf(b.plain)) < leastSamePerson)
    throw new EarshotError(
      'bad_request',
      'Expected another recording of the same person but the voice is another one',
      {
        nextAction: 'Check the recording, or keep this voice under a name of its own.',
        details: { reason: 'other_voice' },
      },
    );
  const weights = [a, b].map(({ seconds, recordings }) => Math.min(seconds, mostWeight * recordings));
  const mean = (kind: 'plain' | 'telephone'): string => {
    const both = new Float32Array([...directionOf(a[kind]), ...directionOf(b[kind])]);
    return directionText(meanDirection(both, weights) as Float32Array);
  };
  return {
    ...a,
    seconds: a.seconds + b.seconds,
    recordings: a.recordings + b.recordings,
    plain: mean('plain'),
    telephone: mean('telephone'),
  };
}
