import type { Config } from './config.ts';

/** Are payments possible here? With payments=operator, only with instructions for paying. */
export const canPay = ({ payments, paymentInstructions }: Pick<Config, 'payments' | 'paymentInstructions'>): boolean =>
  payments === 'stripe' || (payments === 'operator' && paymentInstructions !== null && paymentInstructions !== '');
