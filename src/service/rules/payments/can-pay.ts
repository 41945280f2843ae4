import type { Config } from '../config.ts';

/** Can people pay here? With payments=operator only where they are told how. */
export const canPay = ({ payments, paymentInstructions }: Pick<Config, 'payments' | 'paymentInstructions'>): boolean =>
  payments === 'stripe' || (payments === 'operator' && paymentInstructions !== null && paymentInstructions !== '');
