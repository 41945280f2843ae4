import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { PartReceipt } from './object-store.ts';

// What every object store says of an upload in parts.

export const stopped = (cause: unknown): EarshotError =>
  new EarshotError('not_found', 'This upload has ended or was stopped', { cause });

export const incomplete = (message: string, cause?: unknown): EarshotError =>
  new EarshotError('conflict', message, { nextAction: 'Send the missing parts, then complete again.', cause });

/** @throws EarshotError conflict unless each part has exactly one receipt, and each receipt a part */
export function checkReceipts(there: readonly PartReceipt[], receipts: readonly PartReceipt[]): void {
  const fits = (receipt: PartReceipt): boolean =>
    there.some(
      ({ number, sizeBytes, etag }) =>
        number === receipt.number && sizeBytes === receipt.sizeBytes && etag === receipt.etag,
    );
  const stranger = receipts.find((receipt) => !fits(receipt));
  if (stranger !== undefined) throw incomplete(`The receipt of part ${stranger.number} is outdated`);
  const numbers = new Set(receipts.map(({ number }) => number));
  if (receipts.length === 0 || numbers.size !== receipts.length || receipts.length !== there.length)
    throw incomplete(`Expected receipts of ${there.length} parts but received ${receipts.length}`);
}
