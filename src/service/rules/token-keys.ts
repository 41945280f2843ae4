import { randomBytes } from 'node:crypto';

/** What links are signed with. Tokens name the key, so that it can be followed by another. */
export interface TokenKey {
  /** Letters and digits; '0' signs tokens that name no key, of the time before there were several. */
  readonly id: string;
  readonly secret: string;
  readonly madeAt: Date;
}

/** The port to where keys are kept, for all processes of the service. */
export interface TokenKeyStore {
  /** All of them, newest first. */
  list(): Promise<readonly TokenKey[]>;
  /** Adds the key unless there is one that was made later than `unlessSince`. */
  add(key: TokenKey, unlessSince: Date): Promise<void>;
  /** Does nothing for one that is not there. */
  remove(ids: readonly string[]): Promise<void>;
}

/** A process knows of a new key this long after it was made at the latest; before, nobody signs with it. */
export const keyRefreshMs = 60_000;
const knownEverywhereMs = 2 * keyRefreshMs;
/** The longest that any link lives: a receipt, and a little. */
const longestLinkMs = 401 * 86_400_000;

const endOfTime = new Date(8.64e15);

const newKey = (now: Date): TokenKey => ({
  id: randomBytes(6).toString('hex'),
  secret: randomBytes(32).toString('base64url'),
  madeAt: now,
});

/** All keys, with a first one where there was none. */
export async function loadTokenKeys(store: TokenKeyStore, now: Date): Promise<readonly TokenKey[]> {
  const found = await store.list();
  if (found.length > 0) return found;
  await store.add(newKey(now), new Date(0));
  return store.list();
}

/** @param keys newest first, at least one */
export function signingKey(keys: readonly TokenKey[], now: Date): TokenKey {
  const key = keys.find(({ madeAt }) => now.getTime() - madeAt.getTime() >= knownEverywhereMs) ?? keys.at(-1);
  if (key === undefined) throw new Error('Expected a key that signs links, but there is none');
  return key;
}

/**
 * Makes a new key when the newest is older than that many days, and drops those whose last link is over: a key signs
 * until the next one does, and is accepted for as long as what it signed. Call now and then.
 * @param longestSeconds that any link of this service may live; less than 401 days count as those
 */
export async function rotateTokenKeys(
  store: TokenKeyStore,
  now: Date,
  { days, longestSeconds }: { readonly days: number; readonly longestSeconds: number },
): Promise<void> {
  const keys = await loadTokenKeys(store, now);
  const due = new Date(now.getTime() - days * 86_400_000);
  if ((keys[0]?.madeAt ?? now) <= due) await store.add(newKey(now), due);
  const keptMs = Math.max(longestLinkMs, longestSeconds * 1000) + knownEverywhereMs;
  // A key's follower was made when it stopped signing, or a moment before.
  const over = keys.filter((_, index) => {
    const follower = keys[index - 1];
    return follower !== undefined && now.getTime() - follower.madeAt.getTime() > keptMs;
  });
  if (over.length > 0) await store.remove(over.map(({ id }) => id));
}

/**
 * A new key at once. It signs as soon as every process knows it.
 * @param revoke drops all others: within a minute every link that was ever given is worth nothing
 */
export async function replaceTokenKey(store: TokenKeyStore, now: Date, revoke: boolean): Promise<TokenKey> {
  const others = revoke ? await store.list() : [];
  const key = newKey(now);
  await store.add(key, endOfTime);
  await store.remove(others.map(({ id }) => id));
  return key;
}
