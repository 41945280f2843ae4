import type { Config } from '../settings/config.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Log } from '../shared/log.ts';
import type { Mailer } from '../mails/mailer.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { FreeRunStore } from '../free-runs/free-run-store.ts';
import type { PaymentStore } from '../money/payment-store.ts';
import type { PaymentProvider } from '../money/payment-provider.ts';
import type { Tokens } from '../shared/tokens.ts';

/** Dependencies of the use cases of payments. */
export interface PaymentsDeps {
  readonly payments: PaymentStore;
  readonly freeRuns: Pick<FreeRunStore, 'get'>;
  readonly accounts: Pick<AccountStore, 'get' | 'update' | 'listKeys' | 'addFirstKey' | 'findKey'>;
  /** null: no mail server is configured. */
  readonly mailer: Mailer | null;
  readonly log: Pick<Log, 'warn'>;
  /** null: payments are switched off. */
  readonly provider: PaymentProvider | null;
  readonly tokens: Tokens;
  readonly config: Pick<Config, 'retentionSeconds' | 'minimumPaymentCents' | 'payments' | 'paymentInstructions'>;
  readonly baseUrl: () => string;
  readonly now: () => Date;
}

export function requireProvider({ provider }: Pick<PaymentsDeps, 'provider'>): PaymentProvider {
  if (provider !== null) return provider;
  throw new EarshotError('forbidden', 'Payments are switched off on this service', {
    nextAction: 'Ask the operator of this service.',
  });
}
