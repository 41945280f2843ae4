import type { Account, ApiKey } from '../accounts/account.ts';
import type { Session } from '../accounts/sign-in-store.ts';

/** API keys of an account, for its pages. */
export interface Keys {
  /** Including revoked ones, oldest first. */
  list(account: Account): Promise<readonly ApiKey[]>;
  /**
   * A new key, with its secret: it is shown once. Needs a fresh sign-in.
   * @param press random token of the page's form: the same press returns the same key. null: none
   * @throws EarshotError forbidden, bad_request, limit_exceeded, conflict when the key of this press is revoked
   */
  create(
    account: Account,
    session: Session,
    name: string,
    press: string | null,
  ): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Takes effect with the next request. @throws EarshotError not_found */
  revoke(account: Account, keyId: string): Promise<ApiKey>;
}
