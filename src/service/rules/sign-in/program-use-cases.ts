import type { AuthorizationServer } from '../accounts/authorization-server.ts';
import type { ConnectedProgram } from '../accounts/program-store.ts';
import type { Account } from '../accounts/account.ts';
import type { Session } from '../accounts/sign-in-store.ts';

/** Programs that act for people, with access tokens of our own authorization server. */
export interface Programs extends Pick<AuthorizationServer, 'answer' | 'question'> {
  /**
   * Lets the program of a question act for the account. Needs a fresh sign-in.
   * @returns the address to go on at
   * @throws EarshotError forbidden; not_found when the question is unknown, answered, expired, or of another browser
   */
  allow(account: Account, session: Session, asked: Parameters<AuthorizationServer['decide']>[0]): Promise<string>;
  /** The same without access. */
  refuse(asked: Parameters<AuthorizationServer['decide']>[0]): Promise<string>;
  /** Programs that may act for the account, newest first. */
  list(account: Account): Promise<readonly ConnectedProgram[]>;
  /** Takes effect with the program's next request. @throws EarshotError not_found */
  end(account: Account, id: string): Promise<void>;
}
