import type { Command } from 'commander';
import { toolIds } from '../../library/contract/tool-ids.ts';
import { utcDay } from '../rules/accounts/free.ts';
import type { SettingName } from '../rules/settings/config.ts';
import type { Payment } from '../rules/money/payment-store.ts';
import type { CommandContext } from '../../cli/terminal/command-context.ts';
import { addOperatorCommand, defineOperatorCommand, everything, whole } from './operator-command.ts';

/** Settings of the payment provider. */
const providerSettings: readonly SettingName[] = [
  'payments',
  'stripeKey',
  'stripeWebhookSecret',
  'stripeUrl',
  'smtpUrl',
  'mailFrom',
  'baseUrl',
];

/** `earshot free`: free uses of today, and waiting runs. */
export function defineFree(command: Command, context: CommandContext): void {
  defineOperatorCommand(
    command,
    context,
    async ({ freeRuns, config }) => {
      const at = new Date();
      const day = utcDay(at);
      const { uses, seconds, waiting } = await freeRuns.overview(day, at);
      const budget = config.freeBudgetSeconds;
      const lines = toolIds.flatMap((tool) => {
        const taken = uses[tool];
        return taken === undefined || taken.uses === 0
          ? []
          : [`${tool.padEnd(18)} ${String(taken.uses).padStart(6)} uses by ${taken.visitors} visitors`];
      });
      const waits = waiting.map(
        ({ id, tool, whole: price, expiresAt }) =>
          `${id}  ${tool}  ${price?.credits ?? 0} credits  until ${expiresAt.toISOString()}`,
      );
      return {
        json: {
          day,
          uses,
          seconds,
          budgetSeconds: budget,
          waiting: waiting.map(({ id, tool, whole: price, createdAt, expiresAt }) => ({
            id,
            tool,
            credits: price?.credits ?? null,
            createdAt,
            expiresAt,
          })),
        },
        text: [
          `${day} (UTC): ${Math.round(seconds)} free seconds${budget === null ? '' : ` of ${budget}`}`,
          ...(lines.length > 0 ? lines : ['No free uses yet today.']),
          waits.length === 0 ? 'No run waits for a payment.' : `${waits.length} runs wait for a payment:`,
          ...waits,
        ].join('\n'),
      };
    },
    ['freeBudgetSeconds'],
  );
}

/** `earshot payments`. */
export function definePayments(payments: Command, context: CommandContext): void {
  addOperatorCommand(
    payments,
    context,
    'list',
    'List all payments, newest first',
    async ({ payments: till }) => {
      const all = await everything((page) => till.list(page));
      return { json: all, text: all.map(describe).join('\n') || 'There are no payments yet.' };
    },
    providerSettings,
  );
  addOperatorCommand(
    payments,
    context,
    'confirm <payment>',
    'Confirm that the money has arrived: add the credits and start the job of the payment. Idempotent',
    async ({ payments: till }, [id = ''], { cents }) => {
      const { amountCents } = await till.get(id);
      const payment = await till.confirm(id, cents === undefined ? amountCents : whole('--cents', cents));
      return { json: payment, text: describe(payment) };
    },
    providerSettings,
  ).option('--cents <number>', 'amount paid, US cents (default: the requested amount)');
  addOperatorCommand(
    payments,
    context,
    'refund <payment>',
    'Take back the credits and refund the money (with payments=operator, you send the money)',
    async ({ payments: till }, [id = ''], { cents }) => {
      const payment = await till.refund(id, cents === undefined ? null : whole('--cents', cents));
      return { json: payment, text: describe(payment) };
    },
    providerSettings,
  ).option('--cents <number>', 'amount, US cents (default: the whole rest)');
}

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

const describe = ({
  id,
  status,
  amountCents,
  paidCents,
  refundedCents,
  dispute,
  frozenCredits,
  accountId,
  outcome,
  jobId,
  createdAt,
}: Payment) =>
  [
    createdAt.toISOString(),
    id,
    status.padEnd(8),
    paidCents > 0 ? `${dollars(paidCents)} paid` : `${dollars(amountCents)} asked`,
    ...(refundedCents > 0 ? [`${dollars(refundedCents)} refunded`] : []),
    ...(dispute === null
      ? []
      : [dispute === 'open' ? `disputed: ${frozenCredits} credits are frozen` : `dispute ${dispute}`]),
    ...(outcome === null ? [] : [outcome]),
    ...(jobId === null ? [] : [jobId]),
    accountId ?? '',
  ].join('  ');
