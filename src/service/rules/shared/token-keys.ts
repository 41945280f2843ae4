import { randomBytes } from 'node:crypto';

/** A key that signs links. Tokens contain the key's id, so that keys can be rotated. */
export interface TokenKey {
  /** Letters and digits. '0': the key of old tokens that contain no key id. */
  readonly id: string;
  readonly secret: string;
  readonly madeAt: Date;
}

/** The store of keys, shared by all processes of the service. */
export interface TokenKeyStore {
  /** All keys, newest first. */
  list(): Promise<readonly TokenKey[]>;
  /** Adds the key unless a newer one than `unlessSince` exists. */
  add(key: TokenKey, unlessSince: Date): Promise<void>;
  /** Ignores unknown ids. */
  remove(ids: readonly string[]): Promise<void>;
}

/** Processes reload keys this often; a new key signs only when all of them know it. */
export const keyRefreshMs = 60_000;
const knownEverywhereMs = 2 * keyRefreshMs;
/** Longest life of a link: a receipt's, and one day more. */
const longestLinkMs = 401 * 86_400_000;

const endOfTime = new Date(8.64e15);

/** Makes a key of that age. */
type MakeKey = (now: Date) => TokenKey;

const newKey: MakeKey = (now) => ({
  id: randomBytes(6).toString('hex'),
  secret: randomBytes(32).toString('base64url'),
  madeAt: now,
});

/** All keys; creates the first one. */
export async function loadTokenKeys(
  store: TokenKeyStore,
  now: Date,
  make: MakeKey = newKey,
): Promise<readonly TokenKey[]> {
  const found = await store.list();
  if (found.length > 0) return found;
  await store.add(make(now), new Date(0));
  return store.list();
}

/** @param keys newest first, at least one */
export function signingKey(keys: readonly TokenKey[], now: Date): TokenKey {
  const key = keys.find(({ madeAt }) => now.getTime() - madeAt.getTime() >= knownEverywhereMs) ?? keys.at(-1);
  if (key === undefined) throw new Error('Expected a key to sign links with but there is none');
  return key;
}

/**
 * Rotates the keys of links. Call regularly.
 * @param longestSeconds longest life of any link; at least 401 days are used
 */
export async function rotateTokenKeys(
  store: TokenKeyStore,
  now: Date,
  { days, longestSeconds }: { readonly days: number; readonly longestSeconds: number },
): Promise<void> {
  await loadTokenKeys(store, now);
  await rotateKeys(store, now, { days, longestSeconds: Math.max(longestLinkMs / 1000, longestSeconds), make: newKey });
}

/**
 * Creates a new key when the newest is older than `days`, and removes keys whose last token has expired. Without any
 * key it does nothing. Call regularly.
 * @param longestSeconds longest life of what the keys sign
 */
export async function rotateKeys(
  store: TokenKeyStore,
  now: Date,
  { days, longestSeconds, make }: { readonly days: number; readonly longestSeconds: number; readonly make: MakeKey },
): Promise<void> {
  const keys = await store.list();
  const due = new Date(now.getTime() - days * 86_400_000);
  if ((keys[0]?.madeAt ?? now) <= due) await store.add(make(now), due);
  const keptMs = longestSeconds * 1000 + knownEverywhereMs;
  // A key stopped signing when the next one was created.
  const over = keys.filter((_, index) => {
    const follower = keys[index - 1];
    return follower !== undefined && now.getTime() - follower.madeAt.getTime() > keptMs;
  });
  if (over.length > 0) await store.remove(over.map(({ id }) => id));
}

/**
 * Creates a new key. It signs as soon as every process knows it.
 * @param revoke removes all other keys, which invalidates all earlier links within a minute
 */
export async function replaceTokenKey(store: TokenKeyStore, now: Date, revoke: boolean): Promise<TokenKey> {
  const others = revoke ? await store.list() : [];
  const key = newKey(now);
  await store.add(key, endOfTime);
  await store.remove(others.map(({ id }) => id));
  return key;
}
