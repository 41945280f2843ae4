import * as Type from 'typebox/type';
import { createOptionsParser } from '../../../../library/core/checks/schema.ts';
import { toolIds, type ToolId } from '../../../../library/contract/tool-ids.ts';
import { dollars } from '../../../rules/money/spoken-price.ts';
import { accountRecord } from '../../interface/records.ts';
import { type Call, reading } from './call.ts';
import { fileId } from './files.ts';
import { accountAnswer, quoteAnswer } from './answer-schemas.ts';
import type { DialectDeps } from '../../interface/dialect-deps.ts';

const Quote = Type.Object(
  {
    tool: Type.Enum([...toolIds]),
    file_ids: Type.Array(fileId, {
      minItems: 1,
      maxItems: 20,
      description: "In the tool's order: main file first, every file for join and mix, video then audio for swap",
    }),
  },
  { additionalProperties: false },
);
const GetAccount = Type.Object(
  { tool: Type.Optional(Type.Enum([...toolIds], { description: 'Only its price and free uses' })) },
  { additionalProperties: false },
);

/** Prices and credits. */
export function accountCalls({ service }: DialectDeps): readonly Call[] {
  const parseQuote = createOptionsParser<{ tool: ToolId; file_ids: readonly string[] }>('quote', Quote);
  const parseAccount = createOptionsParser<{ tool?: ToolId }>('get_account', GetAccount);
  return [
    {
      name: 'quote',
      title: 'Ask for a price',
      description: 'What a tool would cost for these files, and what a free use would process.',
      inputSchema: Quote,
      outputSchema: quoteAnswer,
      group: 'jobs',
      usual: true,
      annotations: reading,
      async run(given, { account }) {
        const { tool, file_ids: fileIds } = parseQuote(given, 'json');
        const { seconds, credits, free } = await service.tools.quote(account, tool, fileIds);
        return {
          text:
            `${tool} for ${seconds} s: ${credits} credits (${dollars(credits)}). Free: the first ${free.seconds} s, ` +
            `${free.usesLeftToday} uses left today.`,
          data: { tool, seconds, credits, free },
        };
      },
    },
    {
      name: 'get_account',
      title: 'Get the account',
      description: 'Credits, free uses left today, prices a minute, and the page where credits are bought.',
      inputSchema: GetAccount,
      outputSchema: accountAnswer,
      group: 'jobs',
      usual: true,
      annotations: reading,
      async run(given, { account }) {
        const { tool } = parseAccount(given, 'json');
        const whole = accountRecord(await service.accounts.view(account));
        const record = tool === undefined ? whole : ofTool(whole, tool);
        const buyUrl = service.payments.buyUrl(account.id);
        return {
          text:
            `${record.balance} credits, of which ${record.availableCents} are not reserved; 1 credit is 1 US cent.` +
            (buyUrl === null ? '' : ` More credits: ${buyUrl}`),
          data: { ...record, buyUrl },
        };
      },
    },
  ];
}

const ofTool = (account: ReturnType<typeof accountRecord>, tool: ToolId): ReturnType<typeof accountRecord> => ({
  ...account,
  prices: only(account.prices, tool),
  freeUsesLeft: only(account.freeUsesLeft, tool),
});

const only = <Value extends object>(values: Value, name: string): Value =>
  Object.fromEntries(Object.entries(values).filter(([each]) => each === name)) as Value;
