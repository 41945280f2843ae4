// Settings of recipes: those with a name, and those of the chains that were started. Kept with the account; of a
// visitor by the browser. Chains of one's own are the presets of the REST API, which programs run by their names.
import type { Chain } from '../../client/chain-types.ts';
import { forgetNote, keepNote, notesOf } from '../account/notes.ts';
import { ask } from '../account/requests.ts';
import { data, isOwn } from './tracks.ts';

/** What a recipe's form says. */
export interface Settings {
  readonly options: Readonly<Record<string, string | boolean>>;
  /** '': as the first file. */
  readonly format: string;
  /** JSON of a chain of the user's own. */
  readonly chain: string;
}

export interface Preset extends Settings {
  readonly name: string;
}

/** Where presets are kept. Each call throws ApiError or ConnectionError. */
interface Shelf {
  /** The newest first. */
  list(): Promise<readonly Preset[]>;
  /** Replaces one of the same name. @returns the name it has there; null: the browser keeps nothing */
  keep(preset: Preset): Promise<string | null>;
  forget(name: string): Promise<unknown>;
}

const recipe = data.recipe ?? 'own';
const { site, api } = data.addresses;

const key = `earshot-presets-${recipe}`;
const mostInBrowser = 20;

/** [] where the browser keeps nothing, or somebody has changed it. */
function read(): readonly Preset[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(found) ? (found as Preset[]) : [];
  } catch {
    return [];
  }
}

/** @returns false where the browser keeps nothing: a private window, a full disk */
function write(entries: readonly Preset[]): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(entries));
    return true;
  } catch {
    return false;
  }
}

const without = (gone: string): readonly Preset[] => read().filter(({ name }) => name !== gone);

const browser: Shelf = {
  list: async () => read(),
  keep: async (preset) => (write([preset, ...without(preset.name)].slice(0, mostInBrowser)) ? preset.name : null),
  forget: async (name) => write(without(name)),
};

const account: Shelf = {
  list: async () =>
    (await notesOf<Settings>(site, 'preset')).flatMap(({ name, value }) =>
      name.startsWith(`${recipe}/`) ? [{ ...value, name: name.slice(recipe.length + 1) }] : [],
    ),
  async keep({ name, ...settings }) {
    await keepNote(site, 'preset', `${recipe}/${name}`, settings);
    return name;
  },
  forget: (name) => forgetNote(site, 'preset', `${recipe}/${name}`),
};

/** As the REST API takes it: lower case letters, digits and hyphens. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '');

const presets = `${api}/chains/presets`;
const ownChains: Shelf = {
  list: async () =>
    (await ask<{ readonly data: readonly { readonly name: string; readonly chain: object }[] }>(presets)).data.map(
      ({ name, chain }) => ({ name, options: {}, format: '', chain: JSON.stringify(chain, null, 2) }),
    ),
  async keep({ name, chain }) {
    const slug = slugOf(name) || 'chain';
    await ask(`${presets}/${slug}`, { method: 'PUT', json: { chain: JSON.parse(chain) as unknown } });
    return slug;
  },
  forget: (name) => ask(`${presets}/${name}`, { method: 'DELETE' }),
};

export const shelf: Shelf = isOwn ? (data.recipe === null ? ownChains : account) : browser;

/** Of a chain that was started, for "the same with other files". */
export const keepOrder = ({ id }: Chain, settings: Settings): Promise<unknown> => keepNote(site, 'order', id, settings);

/** null: it was not started on the website. */
export const orderOf = async (id: string): Promise<Settings | null> =>
  isOwn ? ((await notesOf<Settings>(site, 'order')).find(({ name }) => name === id)?.value ?? null) : null;
