// Passages in which somebody speaks and no word was understood: they are named, so that a transcript hides none.
import type { Transcript } from '../../contract/transcript.ts';
import type { TimeRange } from '../../core/time-range.ts';
import { hasListener, type Listener, openListener, patchSeconds } from '../../dsp/listener/listener.ts';
import { musicalClasses, speechClasses, whisperClass } from '../../dsp/listener/sound-classes.ts';
import { loudGaps } from '../recognise/windows/loud-gaps.ts';
import { type SpeechSound, speechRate } from '../speech-sound.ts';

/** A patch is speech from this score on, where it is no music: of seconds of noise and animals one in a hundred is. */
const leastSpeech = 0.2;
/** So many patches together, half a second apart: words, not a bark or a shout. */
const leastPatches = 4;
const hopRows = 48;
const hopSeconds = hopRows / 100;

/** In order of time; none where the sound classifier is not installed. @throws AbortError */
export async function notUnderstood(
  sound: SpeechSound,
  { sentences }: Pick<Transcript, 'sentences'>,
  { modelsDir, signal }: { readonly modelsDir: string | undefined; readonly signal: AbortSignal },
): Promise<TimeRange[]> {
  const gaps = loudGaps(
    sound,
    sentences.flatMap(({ words }) => words),
  );
  if (gaps.length === 0 || !(await hasListener(modelsDir))) return [];
  const listener = await openListener(modelsDir);
  const passages: TimeRange[] = [];
  for (const gap of gaps) {
    signal.throwIfAborted();
    passages.push(...(await spokenIn(listener, sound, gap)));
  }
  return passages;
}

async function spokenIn(
  listener: Listener,
  sound: SpeechSound,
  { startSeconds, endSeconds }: TimeRange,
): Promise<TimeRange[]> {
  const from = Math.round(startSeconds * speechRate);
  const heard = await listener.hear(sound.read(from, Math.round(endSeconds * speechRate) - from), { hopRows });
  const found: TimeRange[] = [];
  let first = 0;
  for (let patch = 0; patch <= heard.patches; patch += 1) {
    if (patch < heard.patches && isSpeech(heard, patch)) continue;
    if (patch - first >= leastPatches)
      found.push({
        startSeconds: startSeconds + first * hopSeconds,
        endSeconds: Math.min(endSeconds, startSeconds + (patch - 1) * hopSeconds + patchSeconds),
      });
    first = patch + 1;
  }
  return found;
}

function isSpeech({ scoreIn }: Awaited<ReturnType<Listener['hear']>>, patch: number): boolean {
  const speech = scoreIn(patch, [...speechClasses, whisperClass]);
  return speech >= leastSpeech && speech >= scoreIn(patch, musicalClasses);
}
