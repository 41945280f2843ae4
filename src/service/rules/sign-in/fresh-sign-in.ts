import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Config } from '../settings/config.ts';
import type { Session } from '../accounts/sign-in-store.ts';

/**
 * What changes who may use an account needs a recent sign-in: a copied session cookie or a browser left open is not
 * enough.
 */
export interface FreshSignIn {
  /** Is the sign-in of this session recent enough? */
  isFresh(session: Pick<Session, 'createdAt'>): boolean;
  /** @throws EarshotError forbidden with the reason old_sign_in */
  require(session: Pick<Session, 'createdAt'>): void;
}

export function createFreshSignIn(
  { freshSignInMinutes: minutes }: Pick<Config, 'freshSignInMinutes'>,
  now: () => Date,
): FreshSignIn {
  const isFresh: FreshSignIn['isFresh'] = ({ createdAt }) => now().getTime() - createdAt.getTime() < minutes * 60_000;
  return {
    isFresh,
    require(session) {
      if (isFresh(session)) return;
      throw new EarshotError('forbidden', `Expected a sign-in within the last ${minutes} minutes`, {
        details: { reason: 'old_sign_in' },
        nextAction: 'Sign in again, then repeat what you did.',
      });
    },
  };
}
