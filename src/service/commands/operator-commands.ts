import { Option, type Command } from 'commander';
import { badValue } from '../../library/core/checks/schema.ts';
import type { Operator } from '../rules/operator/operator.ts';
import type { Account } from '../rules/accounts/account.ts';
import type { CommandContext } from '../../cli/terminal/command-context.ts';
import {
  addOperatorCommand,
  defineOperatorCommand,
  everything,
  type OperatorAnswer,
  whole,
} from './operator-command.ts';

/**
 * Defines an operator command: opens the service's database, does its work, and prints the output.
 */
type AddCommand = (
  parent: Command,
  usage: string,
  description: string,
  work: (
    operator: Operator,
    args: readonly string[],
    flags: Readonly<Record<string, string | undefined>>,
  ) => Promise<OperatorAnswer>,
) => Command;

/** Defines a command with others under it. */
const parent =
  (define: (command: Command, add: AddCommand) => void) =>
  (command: Command, context: CommandContext): void =>
    define(command, (above, usage, description, work) =>
      addOperatorCommand(above, context, usage, description, ({ operator }, args, flags) =>
        work(operator, args, flags),
      ),
    );

/** `earshot accounts`. */
export const defineAccounts = parent(addAccountCommands);
/** `earshot keys`. */
export const defineKeys = parent(addKeyCommands);
/** `earshot credits`. */
export const defineCredits = parent(addCreditCommands);
/** `earshot sessions`. */
export const defineSessions = parent(addSessionCommands);
/** `earshot links`. */
export const defineLinks = parent(addLinkCommands);

function addAccountCommands(accounts: Command, add: AddCommand): void {
  add(accounts, 'create <name>', 'Create an account', async (operator, [name = ''], { credits, oauthSubject }) => {
    const account = await operator.createAccount({
      name,
      credits: whole('--credits', credits ?? '0'),
      ...(oauthSubject === undefined ? {} : { oauthSubject }),
    });
    return { json: account, text: `${describe(account)}\nMake a key for it: earshot keys create ${account.id}` };
  })
    .option('--credits <number>', 'first credits (default: 0)')
    .option('--oauth-subject <subject>', 'subject of its OAuth access tokens')
    .addHelpText('after', '\nExamples:\n  earshot accounts create "Ann" --credits 500');
  add(accounts, 'list', 'List all accounts', async (operator) => {
    const all = await everything((page) => operator.listAccounts(page));
    return {
      json: all,
      text: all.map(describe).join('\n') || 'There are no accounts yet. Create one: earshot accounts create <name>',
    };
  });
  add(accounts, 'show <account>', 'Show one account', async (operator, [id = '']) => {
    const account = await operator.account(id);
    return { json: account, text: describe(account) };
  });
  add(
    accounts,
    'operator <account>',
    "Let an account see the operator's page of the website: jobs, free budget, storage, payments",
    async (operator, [id = ''], { off }) => {
      const account = await operator.setOperator(id, off === undefined);
      return {
        json: account,
        text: `${describe(account)}  ${account.operator ? 'may' : 'may not'} see the operator's page`,
      };
    },
  ).option('--off', 'take the right back');
  add(
    accounts,
    'block <account>',
    'Refuse its keys, sessions and links, and cancel what it runs; credits and files stay',
    async (operator, [id = ''], { reason }) => {
      const account = await operator.block(id, reason ?? null);
      return { json: account, text: `${describe(account)}\nLet it be used again: earshot accounts unblock ${id}` };
    },
  )
    .option('--reason <text>', 'what its owner is told')
    .addHelpText('after', '\nExamples:\n  earshot accounts block acc_... --reason "Your last payment was disputed"');
  add(accounts, 'unblock <account>', 'Let a blocked account be used again', async (operator, [id = '']) => {
    const account = await operator.unblock(id);
    return { json: account, text: describe(account) };
  });
  add(
    accounts,
    'auto-refill <account>',
    'Set the auto-refill that the API shows. Only a card that was saved on the website is charged by Stripe',
    async (operator, [id = ''], flags) => {
      const cents = (flag: string, value: string | undefined): number | null =>
        value === undefined ? null : whole(flag, value);
      const account = await operator.setAutoRefill(id, {
        enabled: flags['off'] === undefined,
        thresholdCents: cents('--threshold-cents', flags['thresholdCents']),
        amountCents: cents('--amount-cents', flags['amountCents']),
        monthlyCapCents: cents('--monthly-cap-cents', flags['monthlyCapCents']),
        card: flags['card'] === undefined ? null : parseCard(flags['card']),
      });
      return { json: account, text: `${describe(account)}, auto-refill ${account.autoRefill.enabled ? 'on' : 'off'}` };
    },
  )
    .option('--threshold-cents <number>', 'refill below this available balance')
    .option('--amount-cents <number>', 'amount of one refill')
    .option('--monthly-cap-cents <number>', 'most that is added in a month')
    .option('--card <brand:last4>', 'the card, as visa:4242')
    .option('--off', 'switch it off');
}

function addKeyCommands(keys: Command, add: AddCommand): void {
  add(
    keys,
    'create <account>',
    'Create an API key. It is shown once: only its hash is stored',
    async (operator, [accountId = ''], { name }) => {
      const { key, secret } = await operator.addKey(accountId, name ?? 'key');
      return { json: { ...key, secret }, text: secret };
    },
  )
    .option('--name <name>', 'what it is for (default: key)')
    .addHelpText('after', '\nExamples:\n  earshot keys create acc_... --name "build server"');
  add(keys, 'list <account>', "List an account's keys with their last use", async (operator, [accountId = '']) => {
    const found = await operator.listKeys(accountId);
    const lines = found.map(
      (key) =>
        `${key.id}  ${key.prefix}...  ${key.name}  ` +
        (key.revokedAt === null
          ? `last used ${key.lastUsedAt?.toISOString() ?? 'never'}`
          : `revoked ${key.revokedAt.toISOString()}`),
    );
    return { json: found, text: lines.join('\n') || 'This account has no keys.' };
  });
  add(
    keys,
    'revoke <key>',
    'Revoke a key by its id or prefix; takes effect with the next request',
    async (operator, [key = '']) => {
      const revoked = await operator.revokeKey(key);
      return { json: revoked, text: `${revoked.id}  ${revoked.prefix}...  ${revoked.name}  revoked` };
    },
  );
}

function addCreditCommands(credits: Command, add: AddCommand): void {
  add(
    credits,
    'grant <account> <credits>',
    'Grant credits',
    async (operator, [accountId = '', amount = ''], { kind, note }) => {
      const entry = await operator.postCredits(
        accountId,
        (kind ?? 'grant') as 'grant',
        whole('credits', amount),
        note ?? null,
      );
      return { json: entry, text: `${signed(entry.credits)} credits, balance ${entry.balance}` };
    },
  )
    .addOption(
      new Option('--kind <kind>', 'kind of ledger entry; an adjustment may be negative (write -- before it)')
        .choices(['grant', 'purchase', 'adjustment'])
        .default('grant'),
    )
    .option('--note <text>', 'note for the ledger')
    .addHelpText(
      'after',
      '\nExamples:\n  earshot credits grant acc_... 500\n  earshot credits grant --kind adjustment --note "refund ' +
        'of 12 May" acc_... -- -20',
    );
  add(
    credits,
    'ledger <account>',
    "Show an account's ledger with holds and releases, newest first",
    async (operator, [accountId = '']) => {
      const all = await everything((page) => operator.ledger(accountId, page));
      const lines = all.map((entry) =>
        [
          entry.createdAt.toISOString(),
          entry.kind.padEnd(10),
          `credits ${signed(entry.credits)}`.padEnd(14),
          `held ${signed(entry.reserved)}`.padEnd(10),
          `balance ${entry.balance}`,
          entry.jobId ?? entry.note ?? '',
          ...(entry.disputeId === null || entry.disputeId === entry.paymentId ? [] : [entry.disputeId]),
        ].join('  '),
      );
      return { json: all, text: lines.join('\n') || 'No entries yet.' };
    },
  );
}

function addSessionCommands(sessions: Command, add: AddCommand): void {
  add(
    sessions,
    'create <account>',
    'Create a session; prints the value of the cookie __Secure-svc.session_token',
    async (operator, [accountId = ''], { hours }) => {
      const session = await operator.createSession(accountId, whole('--hours', hours ?? '24') * 3600);
      return { json: session, text: session.token };
    },
  ).option('--hours <number>', 'how long it works (default: 24)');
  add(sessions, 'end <account>', 'End all sessions of an account', async (operator, [accountId = '']) => {
    const ended = await operator.endSessions(accountId);
    return { json: { ended }, text: `${ended} sessions ended` };
  });
}

/** `earshot sign-in`: prints a link, for services without a mail server and for the operator's own browser. */
export function defineSignIn(command: Command, context: CommandContext): void {
  defineOperatorCommand(
    command.argument('<account-or-address>'),
    context,
    async ({ operator, baseUrl }, [who = ''], { minutes }) => {
      const { token, expiresAt } = await operator.createSignInLink(who, whole('--minutes', minutes ?? '15') * 60);
      const url = `${baseUrl}/sign-in/${token}`;
      return { json: { url, expiresAt }, text: url };
    },
    ['baseUrl', 'host', 'port'],
  )
    .option('--minutes <number>', 'how long it works, up to 60 (default: 15)')
    .addHelpText('after', '\nExamples:\n  earshot sign-in ann@example.org\n  earshot sign-in acc_... --minutes 60');
}

function addLinkCommands(links: Command, add: AddCommand): void {
  add(
    links,
    'rotate',
    'Sign links with a new key from now on. The service also does this itself (EARSHOT_TOKEN_KEY_DAYS)',
    async (operator, _args, { revoke }) => {
      const { keyId } = await operator.replaceLinkKey(revoke !== undefined);
      return {
        json: { keyId },
        text:
          revoke === undefined
            ? `The key ${keyId} signs links in two minutes; earlier links work until they expire.`
            : `The key ${keyId} signs links now; earlier links stop working within a minute.`,
      };
    },
  ).option('--revoke', 'invalidate all earlier links, and access tokens of programs, which get new ones');
}

const describe = ({ id, name, balance, reserved, oauthSubject, blockedAt }: Account): string =>
  `${id}  ${name}  ${balance} ` +
  `credits${reserved === 0 ? '' : ` (${reserved} held)`}${oauthSubject === null ? '' : `  ${oauthSubject}`}` +
  (blockedAt === null ? '' : `  blocked since ${blockedAt.toISOString()}`);

const signed = (value: number): string => (value > 0 ? `+${value}` : String(value));

function parseCard(text: string): { brand: string; last4: string } {
  const [, brand, last4] = /^(\w+):(\d{4})$/.exec(text) ?? [];
  if (brand === undefined || last4 === undefined)
    throw badValue('--card', 'brand and last four digits, as visa:4242', text);
  return { brand, last4 };
}
