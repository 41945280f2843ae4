import { errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import { hashSecret } from '../../rules/accounts/access.ts';
import type { FoundRecord, ProgramStore } from '../../rules/accounts/program-store.ts';

/** A new client that no person has let in yet. */
const newClientSeconds = 86_400;
/** Programs that lost the answer to a refresh, or refresh twice at once, may send the old token again for this long. */
const refreshAgainSeconds = 30;

/**
 * What the library keeps, in our store. Ids of codes and tokens are the codes and tokens themselves: only their hashes
 * are stored, and wherever a payload repeats them, they are cut off and put back when read.
 */
export function createProviderStore(store: ProgramStore): (kind: string) => Adapter {
  return (kind) => new ProviderStore(kind, store);
}

class ProviderStore implements Adapter {
  private readonly kind: string;
  private readonly store: ProgramStore;

  constructor(kind: string, store: ProgramStore) {
    this.kind = kind;
    this.store = store;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    // Each request is a session of its own: people are signed in on the website, and asked every time.
    if (this.kind === 'Session') return;
    await this.store.put({
      kind: this.kind,
      id: hashSecret(id),
      accountId: payload.accountId ?? null,
      clientId: payload.clientId === undefined ? null : hashSecret(payload.clientId),
      grantId:
        this.kind === 'Grant' ? hashSecret(id) : payload.grantId === undefined ? null : hashSecret(payload.grantId),
      payload: withoutSecrets(this.kind, payload, id),
      seconds: expiresIn ?? newClientSeconds,
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    if (this.kind === 'AccessToken') return this.findByGrant(id);
    const found = await this.store.find(this.kind, hashSecret(id));
    return found === null ? undefined : restored(this.kind, found, id);
  }

  /** Access tokens are not stored. Revoking one ends its grant, which `grantToken` names. */
  private async findByGrant(id: string): Promise<AdapterPayload | undefined> {
    const grantHash = grantOf(id);
    const found = grantHash === null ? null : await this.store.find('Grant', grantHash);
    if (found === null) return undefined;
    const { clientId, jti, exp, iat } = restored('Grant', found, null);
    return { kind: 'AccessToken', jti: id, clientId, grantId: jti, exp, iat };
  }

  /** @throws errors.InvalidGrant when it was used before; then its grant ends, since it may have been stolen */
  async consume(id: string): Promise<void> {
    const again = this.kind === 'RefreshToken' ? refreshAgainSeconds : 0;
    if (await this.store.use(this.kind, hashSecret(id), again)) return;
    const found = await this.find(id);
    if (typeof found?.grantId === 'string') await this.revokeByGrantId(found.grantId);
    throw new errors.InvalidGrant('it was used before');
  }

  async destroy(id: string): Promise<void> {
    if (this.kind === 'Grant') await this.revokeByGrantId(id);
    else await this.store.remove(this.kind, hashSecret(id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.store.removeGrant(hashSecret(grantId));
  }

  /** For device codes and sessions, which we do not have. */
  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  findByUid(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

const grantTokenPrefix = 'grant.';

/** Takes the place of an access token when it is revoked. */
export const grantToken = (grantHash: string): string => grantTokenPrefix + grantHash;

const grantOf = (id: string): string | null =>
  id.startsWith(grantTokenPrefix) ? id.slice(grantTokenPrefix.length) : null;

/** A payload as stored, with the names of its fields that end with the id. */
type Stored = AdapterPayload & { readonly idFields?: readonly string[] };

function withoutSecrets(kind: string, payload: AdapterPayload, id: string): Stored {
  if (kind === 'Client') {
    const { client_secret: secret } = payload;
    return typeof secret === 'string' ? { ...payload, client_secret: hashSecret(secret) } : payload;
  }
  // A grant's id is no secret: no endpoint takes it.
  if (kind === 'Grant') return payload;
  const idFields = Object.entries(payload).flatMap(([name, value]) =>
    typeof value === 'string' && value.endsWith(id) ? [name] : [],
  );
  const cut = idFields.map((name) => [name, String(payload[name]).slice(0, -id.length)]);
  return { ...payload, ...Object.fromEntries(cut), idFields };
}

/** The library also checks times, by this machine's clock: they are set by what the database's clock says. */
function restored(kind: string, { payload: stored, secondsLeft, usedSeconds }: FoundRecord, id: string | null) {
  const { idFields = [], ...payload } = stored as Stored;
  if (kind === 'Client') return payload;
  const again = kind === 'RefreshToken' ? refreshAgainSeconds : 0;
  const now = Date.now() / 1000;
  return {
    ...payload,
    ...Object.fromEntries(idFields.map((name) => [name, String(payload[name]) + id])),
    exp: Math.ceil(now + secondsLeft),
    ...(usedSeconds === null || usedSeconds < again || kind === 'Grant' ? {} : { consumed: Math.floor(now) }),
  };
}
