// Settings of recipes that this browser keeps: those with a name, and those of the chains that were started here.

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

const keyOf = (recipe: string): string => `earshot-presets-${recipe}`;
const orders = 'earshot-orders';
const [mostPresets, mostOrders] = [20, 50];

/** [] where the browser keeps nothing, or somebody has changed it. */
function read<Entry extends object>(key: string): readonly Entry[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(found) ? (found as Entry[]) : [];
  } catch {
    return [];
  }
}

/** @returns false where the browser keeps nothing: a private window, a full disk */
function write(key: string, entries: readonly object[]): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(entries));
    return true;
  } catch {
    return false;
  }
}

/** The newest first. */
export const presetsOf = (recipe: string): readonly Preset[] => read<Preset>(keyOf(recipe));

/** Replaces one of the same name. @returns false where the browser keeps nothing */
export const keepPreset = (recipe: string, preset: Preset): boolean =>
  write(keyOf(recipe), [preset, ...presetsOf(recipe).filter(({ name }) => name !== preset.name)].slice(0, mostPresets));

export const forgetPreset = (recipe: string, gone: string): boolean =>
  write(
    keyOf(recipe),
    presetsOf(recipe).filter(({ name }) => name !== gone),
  );

interface Order extends Settings {
  readonly id: string;
}

/** Of a chain that was started here, for "the same with other files". */
export const keepOrder = (id: string, settings: Settings): boolean =>
  write(orders, [{ id, ...settings }, ...read<Order>(orders).filter((order) => order.id !== id)].slice(0, mostOrders));

/** null: it was started elsewhere. */
export const orderOf = (id: string): Settings | null => read<Order>(orders).find((order) => order.id === id) ?? null;
