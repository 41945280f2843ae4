// What the website keeps with the account, so that it is there in another browser, too.
import { ask } from './requests.ts';

type Kind = 'preset' | 'order' | 'chapters' | 'buyer';

interface Note<Value> {
  readonly name: string;
  readonly value: Value;
}

/** @param base of the site's addresses: "", or the prefix of a host app */
const addressOf = (base: string, kind: Kind, name = ''): string =>
  `${base}/notes/${kind}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;

/** The newest first. @throws ApiError, ConnectionError */
export const notesOf = async <Value>(base: string, kind: Kind): Promise<readonly Note<Value>[]> =>
  (await ask<{ readonly notes: readonly Note<Value>[] }>(addressOf(base, kind))).notes;

/** Replaces one of that name. @throws ApiError, ConnectionError */
export const keepNote = (base: string, kind: Kind, name: string, value: object): Promise<unknown> =>
  ask(addressOf(base, kind, name), { method: 'PUT', json: { value } });

/** @throws ApiError, ConnectionError */
export const forgetNote = (base: string, kind: Kind, name: string): Promise<unknown> =>
  ask(addressOf(base, kind, name), { method: 'DELETE' });
