import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EarshotError } from '../../library/core/errors.ts';
import type { Config } from '../rules/config.ts';
import { canPay } from '../rules/payments/can-pay.ts';
import type { Operator } from '../rules/operator.ts';
import { samplePath as shippedSample } from '../../library/core/sample.ts';
import { firstSession } from './first-session.ts';

/** The account that a first start makes, until its key is used. */
export interface FirstStart {
  readonly accountId: string;
  readonly key: string;
  readonly credits: number;
  /** A recording to try things with. */
  readonly samplePath: string;
  /** Was the key shown by an earlier start, and nobody has used it since? */
  readonly again: boolean;
}

/** The one secret that is kept, and only until it has been used: who never saw it could not get in. */
interface KeptKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly secret: string;
}

const firstName = 'first';
const keptKeyPath = (config: Config): string => join(config.data, 'first-key.json');

/**
 * Where there is no account yet: makes one with a key, so that the first request needs nothing else. Shows the same key
 * again as long as nobody has used it. To be called when the service listens: a start that fails makes nothing.
 */
export async function firstStart(operator: Operator, config: Config): Promise<FirstStart | null> {
  const samplePath = join(config.data, 'sample.opus');
  const shown = async (kept: KeptKey, again: boolean): Promise<FirstStart> => {
    if (!existsSync(samplePath)) await copyFile(shippedSample, samplePath);
    const { balance } = await operator.account(kept.accountId);
    return { accountId: kept.accountId, key: kept.secret, credits: balance, samplePath, again };
  };
  const kept = await unusedKey(operator, config);
  if (kept !== null) return shown(kept, true);
  const { items } = await operator.listAccounts({ cursor: null, limit: 2 });
  const [only] = items;
  // One that was made by a start that was cut off before it had a key is this start's.
  const cutOff = only?.name === firstName && items.length === 1 && (await operator.listKeys(only.id)).length === 0;
  if (only !== undefined && !cutOff) return null;
  const account = only ?? (await operator.createAccount({ name: firstName, credits: config.firstCredits }));
  const { key, secret } = await operator.addKey(account.id, 'first key');
  const made: KeptKey = { accountId: account.id, keyId: key.id, secret };
  await writeFile(keptKeyPath(config), JSON.stringify(made), { mode: 0o600 });
  return shown(made, false);
}

/** The first key, if nobody has used it. Forgets it otherwise. */
async function unusedKey(operator: Operator, config: Config): Promise<KeptKey | null> {
  const text = await readFile(keptKeyPath(config), 'utf8').catch(() => null);
  if (text === null) return null;
  const kept = readKept(text);
  const keys = kept === null ? [] : await operator.listKeys(kept.accountId).catch(keysOfNobody);
  const key = keys.find(({ id }) => id === kept?.keyId);
  if (key !== undefined && key.lastUsedAt === null && key.revokedAt === null) return kept;
  await rm(keptKeyPath(config), { force: true });
  return null;
}

/** The file is of another database, or of one that has been restored. */
function keysOfNobody(thrown: unknown): readonly never[] {
  if (EarshotError.from(thrown).code === 'not_found') return [];
  throw thrown;
}

function readKept(text: string): KeptKey | null {
  try {
    const { accountId, keyId, secret } = JSON.parse(text) as Partial<KeptKey>;
    return accountId !== undefined && keyId !== undefined && secret !== undefined ? { accountId, keyId, secret } : null;
  } catch {
    return null;
  }
}

/** What a person reads after the start. */
export function banner(
  config: Config,
  address: string | null,
  legacyAddress: string | null,
  first: FirstStart | null,
  system: NodeJS.Platform = process.platform,
): string {
  const lines = [
    '',
    address === null ? 'Earshot works on jobs (no API on this machine)' : `Earshot is listening on ${address}`,
    ...(legacyAddress === null ? [] : [`The older API is at ${legacyAddress}/v1`]),
    `Data: ${config.data}${config.databaseUrl === null ? '' : ', database: DATABASE_URL'}`,
  ];
  if (address !== null && config.freeEnabled && config.payments === 'operator' && !canPay(config))
    lines.push(
      'Nobody can pay for the rest of a file yet: EARSHOT_PAYMENT_INSTRUCTIONS says how, EARSHOT_PAYMENTS=stripe takes it,',
      'EARSHOT_PAYMENTS=none ends this line. Until then free runs have no finish link.',
    );
  if (address !== null && first !== null) lines.push('', ...firstSteps(address, first, system));
  else if (address !== null)
    lines.push(
      '',
      `What it is: ${address}/, API description: ${address}/api/openapi.json`,
      'Another key: earshot keys create <account>; accounts: earshot accounts list',
    );
  lines.push('', 'Ctrl-C ends it; running jobs finish or go back to the queue.', '');
  return lines.join('\n');
}

function firstSteps(
  address: string,
  { key, credits, samplePath, accountId, again }: FirstStart,
  system: NodeJS.Platform,
): string[] {
  return [
    again
      ? `Nobody has used the API key of account ${accountId} (${credits} credits) yet. Here it is again:`
      : `This is the first start: account ${accountId} with ${credits} credits was made for you. ` +
        'Its API key is shown until it is used:',
    '',
    `    ${key}`,
    '',
    `What this is: ${address}/. Try it in another terminal:`,
    '',
    ...firstSession({ address, key, samplePath }, system).map((line) => `    ${line}`),
  ];
}
