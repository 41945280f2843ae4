import type { Heard } from '../listener/listener.ts';
import { musicClass, speechClasses } from '../listener/sound-classes.ts';
import type { SpeechActivity } from '../voicing/speech-activity.ts';
import type { Timbre } from '../voicing/timbre.ts';
import { type HopRun, runsOf, slidingMean } from '../series/sliding.ts';
import { loudnessOf } from '../voicing/speech-levels.ts';
import { type LevelSegment, speechLoudness } from './level-segments.ts';
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
 * What is so soft for so long is a pause, whatever stretch it is part of, and is listened to alone but for its edges. A
 * hop that is loud alone ends none: the mean over so many hops to either side does.
 */
const pause = { belowDb: 8, seconds: 0.6, edgeSeconds: 0.05, hops: 2 };

type Hear = (startSeconds: number, endSeconds: number) => Promise<Pick<Heard, 'meanOf'>>;

const isBed = (heard: Pick<Heard, 'meanOf'>): boolean =>
  heard.meanOf([musicClass]) >= leastMusic && heard.meanOf(speechClasses) < leastSpeech;

/**
 * Takes music that runs on under the talk, and is alone in its pauses, out of the speech: by its level and its melody
 * it is a soft turn, which leveling lifts. Only pauses and stretches that would be lifted are listened to.
 * @param energy of each hop
 * @param hear what is heard from one second of the recording to another
 * @returns the speech that is left, and the hops of the beds
 */
export async function withoutMusicBeds(
  energy: Float32Array,
  activity: SpeechActivity,
  timbre: Timbre | null,
  hear: Hear,
): Promise<{ readonly activity: SpeechActivity; readonly bed: Uint8Array }> {
  const { hopSeconds } = activity;
  const speech = activity.speech.slice();
  const bed = new Uint8Array(speech.length);
  const take = (start: number, end: number): void => {
    bed.fill(1, start, end);
    speech.fill(0, start, end);
  };
  // A pause that shares a stretch with words is not heard beside them.
  for (const { start, end } of softRuns(energy, speech, hopSeconds)) {
    const [from, to] = [start * hopSeconds + pause.edgeSeconds, end * hopSeconds - pause.edgeSeconds];
    if (isBed(await hear(from, Math.min(from + mostSeconds, to)))) take(start, end);
  }
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
      if (!isBed(await hear(from, Math.min(from + mostSeconds, end * hopSeconds - edge)))) continue;
      found = true;
      take(start, end);
    }
    left = { ...activity, speech };
  }
  return { activity: left, bed };
}

/** Where what counts as speech is as soft as a pause, for as long. */
function softRuns(energy: Float32Array, speech: Uint8Array, hopSeconds: number): HopRun[] {
  const speechLufs = speechLoudness(energy, speech);
  if (speechLufs === null) return [];
  const smooth = slidingMean(energy, pause.hops);
  const soft = speech.map((on, hop) => {
    const least = Math.min(energy[hop] as number, smooth[hop] as number);
    return on === 1 && loudnessOf(Math.max(1e-12, least)) < speechLufs - pause.belowDb ? 1 : 0;
  });
  return runsOf(soft).filter(({ start, end }) => (end - start) * hopSeconds >= pause.seconds);
}
