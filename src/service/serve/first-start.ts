import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { Config } from '../rules/settings/config.ts';
import { canPay } from '../rules/settings/can-pay.ts';
import type { Operator } from '../rules/operator/operator.ts';
import { samplePath as shippedSample } from '../../library/core/files/sample.ts';
import { firstSession } from './first-session.ts';

/** The account of the first start, until its key is used. */
export interface FirstStart {
  readonly accountId: string;
  readonly key: string;
  readonly credits: number;
  /** A recording for the first session. */
  readonly samplePath: string;
  /** Was the key already shown by an earlier start, but is still unused? */
  readonly again: boolean;
  /** Token of a link that signs a browser in to the account, once; null without a website. */
  readonly signInToken: string | null;
}

/** The only stored secret, until it is used: otherwise a key that was not noted down would be lost. */
interface KeptKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly secret: string;
}

const firstName = 'first';
/** Lifetime of the printed link: logs of containers keep it. `earshot sign-in` prints another. */
const linkMinutes = 15;
const keptKeyPath = (config: Config): string => join(config.data, 'first-key.json');

/**
 * Creates the first account with a key, if there is no account yet. Returns the same key again until it is used. Call
 * when the service listens, so that a failed start creates nothing.
 */
export async function firstStart(operator: Operator, config: Config): Promise<FirstStart | null> {
  const samplePath = join(config.data, 'sample.opus');
  const shown = async (kept: KeptKey, again: boolean): Promise<FirstStart> => {
    if (!existsSync(samplePath)) await copyFile(shippedSample, samplePath);
    const { accountId, secret: key } = kept;
    const { balance: credits } = await operator.account(accountId);
    const link = config.site ? await operator.createSignInLink(accountId, linkMinutes * 60) : null;
    return { accountId, key, credits, samplePath, again, signInToken: link?.token ?? null };
  };
  const kept = await unusedKey(operator, config);
  if (kept !== null) return shown(kept, true);
  const { items } = await operator.listAccounts({ cursor: null, limit: 2 });
  const [only] = items;
  // An account without a key was created by a start that was interrupted.
  const cutOff = only?.name === firstName && items.length === 1 && (await operator.listKeys(only.id)).length === 0;
  if (only !== undefined && !cutOff) return null;
  const account = only ?? (await operator.createAccount({ name: firstName, credits: config.firstCredits }));
  // The person who starts a service on a fresh folder is its operator.
  await operator.setOperator(account.id, true);
  const { key, secret } = await operator.addKey(account.id, 'first key');
  const made: KeptKey = { accountId: account.id, keyId: key.id, secret };
  await writeFile(keptKeyPath(config), JSON.stringify(made), { mode: 0o600 });
  return shown(made, false);
}

/** The first key, if it is unused. Deletes the file otherwise. */
async function unusedKey(operator: Operator, config: Config): Promise<KeptKey | null> {
  const text = await readFile(keptKeyPath(config), 'utf8').catch(() => null);
  if (text === null) return null;
  const kept = readKept(text);
  const keys = kept === null ? [] : await operator.listKeys(kept.accountId).catch(noKeys);
  const key = keys.find(({ id }) => id === kept?.keyId);
  if (key !== undefined && key.lastUsedAt === null && key.revokedAt === null) return kept;
  await rm(keptKeyPath(config), { force: true });
  return null;
}

/** The file may belong to another or a restored database. */
function noKeys(thrown: unknown): readonly never[] {
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

/** The text on standard output after the start. */
export function banner(
  config: Config,
  address: string | null,
  legacyAddress: string | null,
  first: FirstStart | null,
  system: NodeJS.Platform = process.platform,
): string {
  const lines = [
    '',
    address === null ? 'Earshot is running jobs (no API on this machine)' : `Earshot is listening on ${address}`,
    ...(legacyAddress === null ? [] : [`The older API is at ${legacyAddress}/v1`]),
    `Data: ${config.data}${config.databaseUrl === null ? '' : ', database: DATABASE_URL'}`,
  ];
  if (address !== null && config.freeEnabled && config.payments === 'operator' && !canPay(config))
    lines.push(
      'Payments are not configured: set EARSHOT_PAYMENT_INSTRUCTIONS, EARSHOT_PAYMENTS=stripe, or ' +
        'EARSHOT_PAYMENTS=none.',
      'Until then free runs have no finish link.',
    );
  if (address !== null && first !== null) lines.push('', ...firstSteps(address, first, system));
  else if (address !== null)
    lines.push(
      '',
      `Home page: ${address}/, API description: ${address}/api/openapi.json`,
      'New API key: earshot keys create <account>; accounts: earshot accounts list',
      ...(config.site ? ['Sign in on the website: earshot sign-in <account or address>'] : []),
    );
  lines.push('', 'Ctrl-C stops it; running jobs finish or are requeued.', '');
  return lines.join('\n');
}

function firstSteps(
  address: string,
  { key, credits, samplePath, accountId, again, signInToken }: FirstStart,
  system: NodeJS.Platform,
): string[] {
  return [
    again
      ? `The API key of account ${accountId} (${credits} credits) has not been used yet:`
      : `First start: created account ${accountId} with ${credits} credits. ` +
        'Its API key is shown at every start until it is used:',
    '',
    `    ${key}`,
    '',
    ...(signInToken === null
      ? []
      : [
          `Sign in to it in a browser, with this link that works once, for ${linkMinutes} minutes, in the browser ` +
            'that opens it',
          `first (later: earshot sign-in ${accountId}):`,
          '',
          `    ${address}/sign-in/${signInToken}`,
          '',
        ]),
    `Home page: ${address}/. Try it in another terminal:`,
    '',
    ...firstSession({ address, key, samplePath }, system).map((line) => `    ${line}`),
  ];
}
