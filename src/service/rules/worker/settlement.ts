import { EarshotError } from '../../../library/core/errors.ts';
import { priceOf, roundSeconds } from '../prices.ts';
import type { StoredJob } from '../records.ts';

/**
 * The check of an upload counts packets, a run counts decoded frames: padding and damaged pieces make them differ by
 * this much per file, and never more.
 */
const toleranceSeconds = 1;
const toleranceShare = 0.001;

/**
 * What a successful run is charged: the price of what it processed, and never more than was held for it.
 * @param processedSeconds in the tool's billing measure, as the run found it
 * @throws EarshotError file_invalid when more was processed than was quoted: the file was longer than it let on
 */
export function creditsToCharge(
  { tool, price, billing, inputs }: Pick<StoredJob, 'tool' | 'price' | 'billing' | 'inputs'>,
  processedSeconds: number,
): number {
  if (price === 0 || billing === null) return price;
  const files = Object.values(inputs).reduce((count, ids) => count + ids.length, 0);
  const longest = billing.seconds * (1 + toleranceShare) + toleranceSeconds * Math.max(1, files);
  if (processedSeconds > longest)
    throw new EarshotError(
      'file_invalid',
      `Expected ${billing.seconds.toFixed(1)} s for ${tool}, which is what was quoted, but the file turned out to hold ` +
        `${processedSeconds.toFixed(1)} s; nothing was charged`,
      { nextAction: 'Convert the file with another program first, so that its length can be read.' },
    );
  return Math.min(price, priceOf(roundSeconds(processedSeconds), billing.creditsPerMinute));
}
