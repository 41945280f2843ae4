// Apart from edit lists, which pages import too.
import { manyTimes, mostTimesOver } from '../contract/many-times.ts';
import { EarshotError } from '../core/errors/errors.ts';
import { type EditList, keptFrames } from './edit-list.ts';

/**
 * Keeps that may lie over each other come to twice the recording at most.
 * @throws EarshotError limit_exceeded
 */
export function requireNotManyTimes(edits: Pick<EditList, 'keeps' | 'sampleRate' | 'sourceFrames'>): void {
  const { sampleRate, sourceFrames } = edits;
  const frames = keptFrames(edits);
  if (frames <= mostTimesOver * sourceFrames) return;
  const message = manyTimes((mostTimesOver * sourceFrames) / sampleRate, frames / sampleRate);
  throw new EarshotError('limit_exceeded', message, {
    nextAction: 'Name each passage less often, or cut it once and join the copies.',
  });
}
