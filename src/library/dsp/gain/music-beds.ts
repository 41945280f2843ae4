import type { Heard } from '../listener/listener.ts';
import { musicClass, speechClasses } from '../listener/sound-classes.ts';
import type { SpeechActivity } from '../voicing/speech-activity.ts';
import type { Timbre } from '../voicing/timbre.ts';
import type { LevelSegment } from './level-segments.ts';
import { levelSpeech } from './leveling.ts';

/** What is this far below the recording's speech would be lifted by as much, dB. */
const askedFromDb = 3;
/** Means of a stretch's scores from which it is music and not a voice over music. */
const leastMusic = 0.15;
const leastSpeech = 0.1;
/** The words beside it are heard at its edges: so much of each is left out, at most a quarter of the stretch. */
const edgeSeconds = 0.2;
/** A stretch may hold a pause of any length: this much of its beginning is listened to. */
const mostSeconds = 30;
/** Without the first beds the rest may be divided otherwise, and be asked about again. */
const mostRounds = 3;

/**
 * Takes music that runs on under the talk, and is alone in its pauses, out of the speech: by its level and its melody
 * it is a soft turn, which leveling lifts. Only stretches that would be lifted are listened to.
 * @param energy of each hop
 * @param hear what is heard from one second of the recording to another
 * @returns the speech that is left, and the hops of the beds
 */
export async function withoutMusicBeds(
  energy: Float32Array,
  activity: SpeechActivity,
  timbre: Timbre | null,
  hear: (startSeconds: number, endSeconds: number) => Promise<Pick<Heard, 'meanOf'>>,
): Promise<{ readonly activity: SpeechActivity; readonly bed: Uint8Array }> {
  const { hopSeconds } = activity;
  const speech = activity.speech.slice();
  const bed = new Uint8Array(speech.length);
  const asked = new Set<string>();
  let left: SpeechActivity = { ...activity, speech };
  for (let round = 0, found = true; found && round < mostRounds; round += 1) {
    found = false;
    const { segments, speechLufs } = levelSpeech(energy, left, { timbre });
    const isAskedAbout = ({ start, end, lufs }: LevelSegment): boolean =>
      lufs < (speechLufs ?? 0) - askedFromDb && !asked.has(`${start}-${end}`);
    for (const segment of segments.filter(isAskedAbout)) {
      const { start, end } = segment;
      asked.add(`${start}-${end}`);
      const seconds = (end - start) * hopSeconds;
      const edge = Math.min(edgeSeconds, seconds / 4);
      const from = start * hopSeconds + edge;
      const heard = await hear(from, Math.min(from + mostSeconds, end * hopSeconds - edge));
      if (heard.meanOf([musicClass]) < leastMusic || heard.meanOf(speechClasses) >= leastSpeech) continue;
      found = true;
      bed.fill(1, start, end);
      speech.fill(0, start, end);
    }
    left = { ...activity, speech };
  }
  return { activity: left, bed };
}
