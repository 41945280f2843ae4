import { isIP } from 'node:net';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { hashSecret } from '../accounts/access.ts';
import type { SignInDeps } from './deps.ts';
import type { RelyingParty } from './passkey-checks.ts';
import type { BeginSession, SignIn } from './sign-in-use-cases.ts';
import type { OneTimePurpose } from '../accounts/sign-in-store.ts';

/** Time for people to confirm on their device. */
const challengeMinutes = 5;
const mostPasskeys = 20;

type Passkeys = Pick<
  SignIn,
  'passkeys' | 'passkeyOptions' | 'addPasskey' | 'passkeyChallenge' | 'signInByPasskey' | 'removePasskey'
>;

/** Browsers make passkeys for names over https, and for localhost; never for addresses such as 127.0.0.1. */
export function mayHavePasskeys(origin: string): boolean {
  const { protocol, hostname } = URL.parse(origin) ?? { protocol: '', hostname: '' };
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  return protocol === 'https:' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
}

export function createPasskeys(deps: SignInDeps, beginSession: BeginSession): Passkeys {
  const { accounts, signIn, passkeyChecks: checks, fresh, notices, now } = deps;

  function partyOf(origin: string): RelyingParty {
    if (mayHavePasskeys(origin)) return { id: new URL(origin).hostname, origin };
    throw new EarshotError('forbidden', 'Browsers make passkeys only for host names over https, and for localhost', {
      nextAction: 'Sign in with a link.',
    });
  }

  async function remember(purpose: OneTimePurpose, challenge: string, accountId?: string): Promise<void> {
    await signIn.addToken({
      hash: hashSecret(challenge),
      purpose,
      subject: null,
      data: accountId === undefined ? {} : { accountId },
      expiresAt: new Date(now().getTime() + challengeMinutes * 60_000),
    });
  }

  /** Each challenge is valid for one response. */
  async function takeChallenge(purpose: OneTimePurpose, response: unknown, accountId?: string): Promise<string> {
    const challenge = challengeOf(response);
    const data = challenge === null ? null : await signIn.takeToken(hashSecret(challenge), purpose, now());
    if (challenge === null || data === null || data.accountId !== accountId) throw unfit();
    return challenge;
  }

  return {
    passkeys: (account) => signIn.listPasskeys(account.id),

    async passkeyOptions(account, session, origin) {
      fresh.require(session);
      const known = await signIn.listPasskeys(account.id);
      if (known.length >= mostPasskeys)
        throw new EarshotError('limit_exceeded', `Expected at most ${mostPasskeys} passkeys`, {
          nextAction: 'Remove one first.',
        });
      const name = account.email ?? account.name;
      const { options, challenge } = await checks.creation(partyOf(origin), { id: account.id, name }, known);
      await remember('add-passkey', challenge, account.id);
      return options;
    },

    async addPasskey(account, session, origin, name, response) {
      fresh.require(session);
      const challenge = await takeChallenge('add-passkey', response, account.id);
      const made = await checks.checkCreation(partyOf(origin), challenge, response);
      if (made === null) throw unfit();
      const shown = name.trim().slice(0, 80) || 'Passkey';
      await signIn.addPasskey({ ...made, accountId: account.id, name: shown });
      notices.tell(account, { kind: 'passkey', name: shown, device: session.device });
    },

    async passkeyChallenge(origin) {
      const { options, challenge } = await checks.request(partyOf(origin));
      await remember('use-passkey', challenge);
      return options;
    },

    async signInByPasskey(origin, response, arriving) {
      const challenge = await takeChallenge('use-passkey', response);
      const id = (response as { id?: unknown }).id;
      const passkey = typeof id === 'string' ? await signIn.findPasskey(id) : null;
      if (passkey === null)
        throw new EarshotError('forbidden', 'This passkey is unknown: it may have been removed', {
          nextAction: 'Sign in with a link, and make a new one.',
        });
      const checked = await checks.checkRequest(partyOf(origin), challenge, passkey, response);
      if (checked === null || !(await signIn.usePasskey(passkey.id, checked.counter, now()))) throw unfit();
      const account = await accounts.get(passkey.accountId);
      if (account === null) throw unfit();
      return { ...(await beginSession(account, 'passkey', arriving, false)), next: null };
    },

    async removePasskey(account, session, id) {
      fresh.require(session);
      if (!(await signIn.removePasskey(account.id, id)))
        throw new EarshotError('not_found', 'There is no such passkey');
    },
  };
}

const unfit = (): EarshotError =>
  new EarshotError('forbidden', 'The response of the passkey is not valid', { nextAction: 'Try again.' });

/** The challenge that the browser signed, from its client data. */
function challengeOf(response: unknown): string | null {
  const data = (response as { response?: { clientDataJSON?: unknown } } | null)?.response?.clientDataJSON;
  if (typeof data !== 'string' || data.length > 10_000) return null;
  try {
    const { challenge } = JSON.parse(Buffer.from(data, 'base64url').toString()) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}
