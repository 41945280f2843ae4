import type { Setting } from './setting.ts';

/** The free tier. */
export const freeSettings = {
  freeVariant: {
    env: 'EARSHOT_FREE_VARIANT',
    flag: 'free-variant',
    kind: 'choice',
    choices: ['a', 'b'],
    default: 'a',
    description: 'Which published table of free allowances applies',
  },
  freeEnabled: {
    env: 'EARSHOT_FREE',
    flag: 'free',
    kind: 'boolean',
    default: 'true',
    description: 'Is there a free tier?',
  },
  freeBudgetSeconds: {
    env: 'EARSHOT_FREE_BUDGET_SECONDS',
    flag: 'free-budget-seconds',
    kind: 'number',
    minimum: 0,
    default: null,
    description: 'Seconds of sound that all free runs of a UTC day may process together. Default: no limit',
  },
  freeWaitSeconds: {
    env: 'EARSHOT_FREE_WAIT_SECONDS',
    flag: 'free-wait-seconds',
    kind: 'number',
    minimum: 0,
    maximum: 100,
    default: '30',
    description: 'How long a free-API request waits for its result before it answers with a link',
  },
  freeRetentionSeconds: {
    env: 'EARSHOT_FREE_RETENTION_SECONDS',
    flag: 'free-retention-seconds',
    kind: 'number',
    minimum: 60,
    default: '3600',
    description: 'How long files and links of free runs without an account are kept',
  },
  freeRequestBytes: {
    env: 'EARSHOT_FREE_REQUEST_BYTES',
    flag: 'free-request-bytes',
    kind: 'integer',
    minimum: 1,
    default: String(100 * 1024 * 1024),
    description: 'All files of one request of the free API together',
  },
  freeWaiting: {
    env: 'EARSHOT_FREE_WAITING',
    flag: 'free-waiting',
    kind: 'integer',
    minimum: 0,
    default: '3',
    description: 'Files of one address per hour that may wait for a payment',
  },
  addressUploads: {
    env: 'EARSHOT_ADDRESS_UPLOADS',
    flag: 'address-uploads',
    kind: 'integer',
    minimum: 1,
    default: '2',
    description: 'Concurrent uploads of one address without an account',
  },
} as const satisfies Record<string, Setting>;

/** Payments. */
export const paymentSettings = {
  payments: {
    env: 'EARSHOT_PAYMENTS',
    flag: 'payments',
    kind: 'choice',
    choices: ['none', 'operator', 'stripe'],
    default: 'operator',
    description:
      'How people pay for the rest of a file: not at all, to you (earshot payments confirm; needs instructions), or ' +
      'by Stripe',
  },
  paymentInstructions: {
    env: 'EARSHOT_PAYMENT_INSTRUCTIONS',
    flag: 'payment-instructions',
    kind: 'text',
    default: null,
    description: 'Instructions for paying you, with payments=operator. Default: none, and payments are not possible',
  },
  minimumPaymentCents: {
    env: 'EARSHOT_MINIMUM_PAYMENT_CENTS',
    flag: 'minimum-payment-cents',
    kind: 'integer',
    minimum: 1,
    default: '500',
    description: 'Smallest payment, US cents; the unused rest becomes credits',
  },
  stripeKey: {
    env: 'EARSHOT_STRIPE_KEY',
    flag: 'stripe-key',
    kind: 'secret',
    default: null,
    description: "Stripe's secret key, with payments=stripe",
  },
  stripeWebhookSecret: {
    env: 'EARSHOT_STRIPE_WEBHOOK_SECRET',
    flag: 'stripe-webhook-secret',
    kind: 'secret',
    default: null,
    description: "Secret of Stripe's webhook to <base URL>/payments/stripe",
  },
  stripeUrl: {
    env: 'EARSHOT_STRIPE_URL',
    flag: 'stripe-url',
    kind: 'text',
    default: 'https://api.stripe.com',
    description: "Address of Stripe's API",
  },
} as const satisfies Record<string, Setting>;
