import { EarshotError } from '../../../library/core/errors.ts';
import { fromOperator } from '../../rules/free.ts';
import type { Payments } from '../../rules/service.ts';

/**
 * Adds the page where credits are bought to an insufficient_balance error.
 * @param accountId null: no account that could buy any
 */
export function withShop(
  error: EarshotError,
  accountId: string | null,
  payments: Pick<Payments, 'buyUrl'>,
): EarshotError {
  const buyUrl = error.code === 'insufficient_balance' && accountId !== null ? payments.buyUrl(accountId) : null;
  if (buyUrl === null) return error;
  return new EarshotError(error.code, error.message, {
    nextAction: error.nextAction.replace(fromOperator, `at ${buyUrl}`),
    details: { ...error.details, buyUrl },
  });
}
