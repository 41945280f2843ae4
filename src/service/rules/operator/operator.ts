import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { makeKeySecret, makeSessionToken } from '../accounts/access.ts';
import { newId } from '../shared/ids.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Ledger, LedgerEntry } from '../money/ledger.ts';
import type { OneTimeData, SignInStore } from '../accounts/sign-in-store.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { Account, ApiKey } from '../accounts/account.ts';
import type { AutoRefill } from '../money/auto-refill.ts';
import { readAddress } from '../accounts/mail-addresses.ts';
import { makeOneTimeToken } from '../accounts/one-time.ts';
import { endWork, type WorkStores } from '../chains/end-work.ts';
import { createRunnerTokens, type RunnerTokens } from '../runners/runner-tokens.ts';
import type { RunnerStore } from '../runners/runner-store.ts';
import { replaceTokenKey, type TokenKeyStore } from '../shared/token-keys.ts';

/** What only the operator may do: on the command line, never over HTTP. */
export interface Operator extends RunnerTokens {
  /** @throws EarshotError conflict when the subject has an account already */
  createAccount(wanted: {
    readonly name: string;
    readonly credits?: number;
    readonly oauthSubject?: string;
  }): Promise<Account>;
  /**
   * The account with its balance.
   * @throws EarshotError not_found
   */
  account(accountId: string): Promise<Account>;
  /** A page of all accounts, newest first. */
  listAccounts(page: PageRequest): Promise<Page<Account>>;
  /** The secret is in this answer only. */
  addKey(accountId: string, name: string): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Including revoked keys, without secrets. */
  listKeys(accountId: string): Promise<readonly ApiKey[]>;
  /** By id or by prefix. Takes effect with the next request. */
  revokeKey(idOrPrefix: string): Promise<ApiKey>;
  /**
   * Adds credits (grant, purchase) or corrects the balance either way (adjustment).
   * @throws EarshotError insufficient_balance when running jobs hold what would be taken
   */
  postCredits(
    accountId: string,
    kind: 'grant' | 'purchase' | 'adjustment',
    credits: number,
    note: string | null,
  ): Promise<LedgerEntry>;
  /** All changes of the balance, newest first. */
  ledger(accountId: string, page: PageRequest): Promise<Page<LedgerEntry>>;
  /** The value of the session cookie; shown once. */
  createSession(accountId: string, seconds: number): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /** Ends all sessions of the account; returns their number. */
  endSessions(accountId: string): Promise<number>;
  /** The auto-refill that the API shows for the account. */
  setAutoRefill(accountId: string, autoRefill: AutoRefill): Promise<Account>;
  /**
   * Signs links with a new key from now on.
   * @param revoke also invalidates all earlier links and all access tokens of programs, within a minute
   */
  replaceLinkKey(revoke: boolean): Promise<{ readonly keyId: string }>;
  /**
   * A link that signs a browser in, once, on the website: to an account by its id, or to the account of an address,
   * which is made where there is none. It belongs to the browser that opens it first.
   * @param seconds how long it works, up to an hour
   * @throws EarshotError not_found, bad_request
   */
  createSignInLink(
    accountOrAddress: string,
    seconds: number,
  ): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /** Gives or takes the right to see the operator's page of the website. */
  setOperator(accountId: string, operator: boolean): Promise<Account>;
  /**
   * Blocks an account: its keys, sessions and access tokens are refused, its links for reading lead nowhere, and what
   * it runs is cancelled, so that what that holds is free again. Its credits and files stay.
   * @param reason what its owner is told; null: nothing
   * @throws EarshotError not_found, bad_request
   */
  block(accountId: string, reason: string | null): Promise<Account>;
  /** Lets it be used again. @throws EarshotError not_found */
  unblock(accountId: string): Promise<Account>;
}

export function createOperator(
  stores: {
    readonly accounts: AccountStore;
    readonly signIn: Pick<SignInStore, 'addToken'>;
    readonly ledger: Ledger;
    readonly tokenKeys: TokenKeyStore;
    readonly programKeys: TokenKeyStore;
    readonly runners: RunnerStore;
  } & WorkStores,
  now: () => Date = () => new Date(),
): Operator {
  const { accounts, signIn, ledger, runners } = stores;

  async function account(accountId: string): Promise<Account> {
    return (await accounts.get(accountId)) ?? missingAccount(accountId);
  }

  async function update(accountId: string, patch: Parameters<AccountStore['update']>[1]): Promise<Account> {
    return (await accounts.update(accountId, patch)) ?? missingAccount(accountId);
  }

  async function postCredits(
    accountId: string,
    kind: 'grant' | 'purchase' | 'adjustment',
    credits: number,
    note: string | null,
  ): Promise<LedgerEntry> {
    const minimum = kind === 'adjustment' ? -Number.MAX_SAFE_INTEGER : 1;
    if (!Number.isSafeInteger(credits) || credits === 0 || credits < minimum)
      throw badValue('credits', kind === 'adjustment' ? 'whole number other than 0' : 'whole number above 0', credits);
    return ledger.post({ accountId, kind, credits, note });
  }

  const createSignInLink: Operator['createSignInLink'] = async (accountOrAddress, seconds) => {
    if (!(seconds > 0) || seconds > 3600) throw badValue('seconds', 'number above 0 and up to 3600', seconds);
    const data = accountOrAddress.includes('@')
      ? { email: readAddress(accountOrAddress) }
      : { accountId: (await account(accountOrAddress)).id };
    return addSignInLink(signIn, data, new Date(now().getTime() + seconds * 1000));
  };

  return {
    account,
    postCredits,
    ...createRunnerTokens(runners),
    listAccounts: (page) => accounts.list(page),
    async createAccount({ name, credits = 0, oauthSubject }) {
      if (name.trim() === '' || name.length > 200) throw badValue('name', 'string of 1 to 200 characters', name);
      if (!Number.isSafeInteger(credits) || credits < 0)
        throw badValue('credits', 'whole number of at least 0', credits);
      const created = await accounts.create({ id: newId('acc'), name, oauthSubject: oauthSubject ?? null });
      if (credits === 0) return created;
      await postCredits(created.id, 'grant', credits, 'first credits');
      return account(created.id);
    },
    async addKey(accountId, name) {
      await account(accountId);
      const { secret, prefix, hash } = makeKeySecret();
      const key = await accounts.addKey({ id: newId('key'), accountId, name, prefix, hash });
      return { key, secret };
    },
    async listKeys(accountId) {
      await account(accountId);
      return accounts.listKeys(accountId);
    },
    async revokeKey(idOrPrefix) {
      const key = await accounts.revokeKey(idOrPrefix, now());
      if (key === null)
        throw new EarshotError('not_found', `There is no API key ${idOrPrefix}`, { details: { id: idOrPrefix } });
      return key;
    },
    async ledger(accountId, page) {
      await account(accountId);
      return ledger.list(accountId, page, false);
    },
    async createSession(accountId, seconds) {
      if (!(seconds > 0) || seconds > 366 * 86_400)
        throw badValue('seconds', 'number above 0 and up to 31622400', seconds);
      await account(accountId);
      const { token, hash } = makeSessionToken();
      const expiresAt = new Date(now().getTime() + seconds * 1000);
      await accounts.addSession({ hash, accountId, expiresAt });
      return { token, expiresAt };
    },
    async endSessions(accountId) {
      await account(accountId);
      return accounts.removeSessions(accountId);
    },
    replaceLinkKey: (revoke) => replaceKeys(stores, now(), revoke),
    setAutoRefill(accountId, autoRefill) {
      checkAutoRefill(autoRefill);
      return update(accountId, { autoRefill });
    },
    createSignInLink,
    ...createBlocks(stores, update, now),
    setOperator: (accountId, operator) => update(accountId, { operator }),
  };
}

async function replaceKeys(
  { tokenKeys, programKeys }: { readonly tokenKeys: TokenKeyStore; readonly programKeys: TokenKeyStore },
  now: Date,
  revoke: boolean,
): Promise<{ readonly keyId: string }> {
  // The next program that asks for a token makes a new one.
  if (revoke) await programKeys.remove((await programKeys.list()).map(({ id }) => id));
  return { keyId: (await replaceTokenKey(tokenKeys, now, revoke)).id };
}

function checkAutoRefill(autoRefill: AutoRefill): void {
  for (const field of ['thresholdCents', 'amountCents', 'monthlyCapCents'] as const) {
    const cents = autoRefill[field];
    if (cents !== null && (!Number.isSafeInteger(cents) || cents < 0))
      throw badValue(field, 'whole number of cents of at least 0', cents);
  }
}

async function addSignInLink(
  signIn: Pick<SignInStore, 'addToken'>,
  data: OneTimeData,
  expiresAt: Date,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const { token, hash } = makeOneTimeToken();
  await signIn.addToken({ hash, purpose: 'sign-in', subject: null, data, expiresAt });
  return { token, expiresAt };
}

function missingAccount(accountId: string): never {
  throw new EarshotError('not_found', `There is no account ${accountId}`, { details: { id: accountId } });
}

type Update = (accountId: string, patch: Parameters<AccountStore['update']>[1]) => Promise<Account>;

const createBlocks = (work: WorkStores, update: Update, now: () => Date): Pick<Operator, 'block' | 'unblock'> => ({
  async block(accountId, reason) {
    if (reason !== null && (reason.trim() === '' || reason.length > 300))
      throw badValue('reason', '1 to 300 characters', reason.slice(0, 300));
    const blocked = await update(accountId, { blockedAt: now(), blockedFor: reason });
    // Access first: nothing may be added in the meantime.
    await endWork(work, accountId);
    return blocked;
  },
  unblock: (accountId) => update(accountId, { blockedAt: null, blockedFor: null }),
});
