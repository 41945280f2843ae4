import { mostSpeakers, type SpeakerBounds } from '../../contract/speaker-bounds.ts';
import { badValue } from '../../core/checks/schema.ts';
import { EarshotError } from '../../core/errors/errors.ts';

/** Every transcript is written in each of them. */
export const formats = ['json', 'srt', 'vtt', 'txt'] as const;

interface Asked {
  readonly speaker_labels: boolean;
  readonly speakers?: number;
  readonly min_speakers?: number;
  readonly max_speakers?: number;
  readonly speaker_channels: boolean;
  readonly vocabulary?: readonly string[];
  readonly voices?: readonly string[];
}

const refused = (message: string): EarshotError => new EarshotError('bad_request', message);

/** Refuses what is said of speakers, although none are told apart, or by other means. */
function checkSpeakers(asked: Asked): void {
  const { speaker_labels, speakers, min_speakers: least, max_speakers: most, speaker_channels } = asked;
  const counts = [
    ...(speakers === undefined ? [] : ['speakers']),
    ...(least === undefined ? [] : ['min_speakers']),
    ...(most === undefined ? [] : ['max_speakers']),
  ];
  const needing = [...counts, ...(speaker_channels ? ['speaker_channels'] : []), ...(asked.voices ? ['voices'] : [])];
  if (!speaker_labels && needing.length > 0)
    throw refused(`Expected speaker_labels with ${needing[0]} but it is false`);
  if (counts.length > 0 && speaker_channels)
    throw refused(`Expected either ${counts[0]} or speaker_channels but received both: channels are counted`);
  if (speakers !== undefined && counts.length > 1)
    throw refused(`Expected either speakers or ${counts[1]} but received both: speakers is the exact number`);
  if (least !== undefined && most !== undefined && least > most)
    throw refused(`Expected min_speakers up to max_speakers (${most}) but received ${least}`);
}

/**
 * Words of a term. What they cost at a doubtful word grows by their square: 500 terms of 8 words 1.8 s of CPU, of 40
 * words 14 s.
 */
const mostTermWords = 8;

/** Refuses options that contradict each other, and vocabularies that would take longer than the recording. */
export function checkAsked(asked: Asked): void {
  checkSpeakers(asked);
  const long = asked.vocabulary?.find((term) => term.trim().split(/\s+/u).length > mostTermWords);
  if (long !== undefined)
    throw badValue('vocabulary', `list of names and terms of up to ${mostTermWords} words each`, long);
}

/** Of the number of people; undefined where nothing is known. */
export function speakerBounds({ speakers, min_speakers: least, max_speakers: most }: Asked): SpeakerBounds | undefined {
  if (speakers !== undefined) return { least: speakers, most: speakers };
  return least === undefined && most === undefined ? undefined : { least: least ?? 1, most: most ?? mostSpeakers };
}

/** "4", "2 to 5", "up to 8". */
export function saidOf(bounds: SpeakerBounds | undefined): string {
  const { least, most } = bounds ?? { least: 1, most: mostSpeakers };
  if (least === most) return String(most);
  return least === 1 ? `up to ${most}` : `${least} to ${most}`;
}
