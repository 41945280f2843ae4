// Apart from edit lists, which pages import too.
import { EarshotError } from '../core/errors/errors.ts';
import { type EditList, keptFrames } from './edit-list.ts';

/** What a job costs follows from what goes in: 200 times a minute of MP3 took a minute of a core and more. */
const mostTimesOver = 2;

/**
 * Keeps that may lie over each other come to twice the recording at most.
 * @throws EarshotError limit_exceeded
 */
export function requireNotManyTimes(edits: Pick<EditList, 'keeps' | 'sampleRate' | 'sourceFrames'>): void {
  const { sampleRate, sourceFrames } = edits;
  const frames = keptFrames(edits);
  if (frames <= mostTimesOver * sourceFrames) return;
  const [expected, received] = [mostTimesOver * sourceFrames, frames].map((each) => (each / sampleRate).toFixed(3));
  throw new EarshotError(
    'limit_exceeded',
    `Expected passages of together at most twice the recording's length, ${expected} s, but received ${received} s`,
    { nextAction: 'Name each passage less often, or cut it once and join the copies.' },
  );
}
