import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { makeKeySecret } from '../accounts/access.ts';
import { newId } from '../shared/ids.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Keys } from './key-use-cases.ts';
import type { FreshSignIn } from './fresh-sign-in.ts';
import type { AccountNotices } from './notices.ts';

const mostKeys = 100;
const longestName = 80;

export function createKeys({
  accounts,
  fresh,
  notices,
  now,
}: {
  readonly accounts: Pick<AccountStore, 'listKeys' | 'addKey' | 'findKey' | 'revokeKey'>;
  readonly fresh: FreshSignIn;
  readonly notices: AccountNotices;
  readonly now: () => Date;
}): Keys {
  return {
    list: (account) => accounts.listKeys(account.id),

    async create(account, session, given, press) {
      fresh.require(session);
      const name = given.trim();
      if (name === '' || name.length > longestName)
        throw badValue('name', `string of 1 to ${longestName} characters`, given.slice(0, 200));
      const { secret, prefix, hash } = makeKeySecret(press === null ? null : `${account.id}:${press}`);
      const known = press === null ? null : await accounts.findKey(hash);
      if (known !== null) {
        if (known.key.revokedAt === null) return { key: known.key, secret };
        throw new EarshotError('conflict', 'This key was revoked', { nextAction: 'Make another one.' });
      }
      const keys = await accounts.listKeys(account.id);
      if (keys.filter(({ revokedAt }) => revokedAt === null).length >= mostKeys)
        throw new EarshotError('limit_exceeded', `Expected at most ${mostKeys} keys in use`, {
          nextAction: 'Revoke one first.',
        });
      const key = await accounts.addKey({ id: newId('key'), accountId: account.id, name, prefix, hash });
      notices.tell(account, { kind: 'key', name: `${name} (${prefix}...)`, device: session.device });
      return { key, secret };
    },

    async revoke(account, keyId) {
      const own = (await accounts.listKeys(account.id)).some(({ id }) => id === keyId);
      const key = own ? await accounts.revokeKey(keyId, now()) : null;
      if (key !== null) return key;
      throw new EarshotError('not_found', 'There is no such key');
    },
  };
}
