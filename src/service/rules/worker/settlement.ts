import { EarshotError } from '../../../library/core/errors/errors.ts';
import { priceOf, roundSeconds } from '../tools/prices.ts';
import type { StoredJob } from '../jobs/stored-job.ts';

/**
 * The check of an upload counts packets, a run counts decoded frames: padding and damaged packets make them differ by
 * at most this much per file.
 */
const toleranceSeconds = 1;
const toleranceShare = 0.001;

/**
 * The credits to charge for a successful run: the price of the processed length, at most the reserved credits.
 * @param processedSeconds in the tool's billing measure
 * @throws EarshotError file_invalid when more was processed than was quoted: the file's header was wrong
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
      `Expected ${billing.seconds.toFixed(1)} s for ${tool}, the quoted length, but the file has ` +
        `${processedSeconds.toFixed(1)} s; nothing was charged`,
      { nextAction: 'Convert the file with another program first, so that its length can be read.' },
    );
  return Math.min(price, priceOf(roundSeconds(processedSeconds), billing.creditsPerMinute));
}
