// What a recipe's page orders, and what that costs.
import { effect, signal, untracked } from '@preact/signals';
import type { Chain, ChainRequest } from '../../client/chain-types.ts';
import { newKey } from '../../client/keys.ts';
import { ask, type Problem, problemOf } from '../account/requests.ts';
import type { ForetoldPrice } from '../recipe-data.ts';
import { fill } from '../ui.tsx';
import { keepOrder, type Settings } from './presets.ts';
import { arrivals, data, isOwn, readyFile, sounds, texts, tracks } from './tracks.ts';

export const price = signal<ForetoldPrice | Problem | null>(null);
export const isPrice = (found: ForetoldPrice | Problem | null): found is ForetoldPrice =>
  found !== null && 'credits' in found;
/** Credits that can be spent. */
export const available = signal(data.available);
export const refusal = signal<Problem | null>(null);
export const isStarting = signal(false);

const form = document.querySelector<HTMLFormElement>('#recipe');

/** The form's options, as the server made them. */
export function settings(): Settings {
  if (form === null) return { options: {}, format: '', chain: '' };
  const given = new FormData(form);
  const options: Record<string, string | boolean> = {};
  for (const control of form.querySelectorAll<HTMLInputElement>('input[name^="o-"]')) {
    const name = control.name.slice(2);
    if (control.type === 'checkbox') options[name] = control.checked;
    else if (control.checked) options[name] = control.value;
  }
  const text = (name: string): string => {
    const found = given.get(name);
    return typeof found === 'string' ? found : '';
  };
  return { options, format: text('format'), chain: text('chain') };
}

/** Puts settings into the form. */
export function putSettings({ options, format, chain }: Settings): void {
  if (form === null) return;
  for (const control of form.querySelectorAll<HTMLInputElement>('input[name^="o-"]')) {
    const value = options[control.name.slice(2)];
    if (value !== undefined) control.checked = control.type === 'checkbox' ? value === true : control.value === value;
  }
  for (const [name, value] of [
    ['format', format],
    ['chain', chain],
  ] as const) {
    const control = form.elements.namedItem(name);
    if (value !== '' && (control instanceof HTMLSelectElement || control instanceof HTMLTextAreaElement))
      control.value = value;
  }
  form.dispatchEvent(new Event('change'));
}

/** What is ordered, but for its files. @throws Error that says what is wrong with a chain's JSON */
function whatOf({ options, format, chain }: Settings): Omit<ChainRequest, 'file_ids'> {
  const own = format === '' ? {} : { format: format as NonNullable<ChainRequest['format']> };
  if (data.recipe === null) return { ...own, chain: JSON.parse(chain) as NonNullable<ChainRequest['chain']> };
  const roles = data.hasRoles ? { roles: tracks.value.map(({ role }) => role).join(',') } : {};
  return { ...own, recipe: data.recipe, options: { ...options, ...roles } };
}

const lengths = (): readonly (number | null)[] => tracks.value.map(({ key }) => sounds.value[key]?.seconds ?? null);

/** Without a key pressed, milliseconds: then a chain that is being written is priced. */
const pauseMs = 500;

/** Of a chain's JSON; '': nothing is wrong. */
export const wrong = signal('');
let asked = 0;

async function askPrice(): Promise<void> {
  const mine = (asked += 1);
  const seconds = lengths();
  price.value = null;
  wrong.value = '';
  const chosen = settings();
  if (seconds.length < data.minFiles || seconds.includes(null)) return;
  if (data.recipe === null && chosen.chain.trim() === '') return;
  try {
    const found = await ask<ForetoldPrice>(data.addresses.price, {
      method: 'POST',
      json: { ...whatOf(chosen), seconds },
    });
    if (mine === asked) price.value = found;
  } catch (thrown) {
    if (mine !== asked) return;
    if (thrown instanceof SyntaxError) wrong.value = fill(texts.chainWrong, { reason: thrown.message });
    else price.value = problemOf(thrown);
  }
}

/** Asks again whenever a file, a role or an option changes. */
export function keepPrice(): void {
  let last = '';
  const ask = (): void => {
    const now = JSON.stringify([lengths(), tracks.value.map(({ role }) => role), settings()]);
    if (now === last) return;
    last = now;
    void untracked(askPrice);
  };
  effect(ask);
  form?.addEventListener('change', () => untracked(ask));
  // A chain is written: what is wrong with it goes as soon as it is right, without leaving the field.
  let later: ReturnType<typeof setTimeout> | undefined;
  form?.addEventListener('input', ({ target }) => {
    clearTimeout(later);
    if (target instanceof HTMLTextAreaElement) later = setTimeout(() => untracked(ask), pauseMs);
  });
  if (isOwn)
    // Credits are bought in another tab.
    addEventListener('focus', () => {
      void askAccount().catch(() => undefined);
    });
}

const askAccount = async (): Promise<void> => {
  const { availableCents } = await ask<{ readonly availableCents: number }>(`${data.addresses.api}/account`);
  available.value = availableCents;
};

/** All files are with the account. */
export const areReady = (): boolean =>
  tracks.value.length >= data.minFiles && tracks.value.every(({ key }) => arrivals.value[key]?.name === 'ready');

/** One key for one press: a lost answer makes no second chain. */
let sent: { readonly body: string; readonly key: string } | null = null;

/** Starts the chain, and opens its page. */
export async function start(): Promise<void> {
  const known = price.value;
  if (!isPrice(known) || !areReady() || isStarting.value) return;
  const chosen = settings();
  const request: ChainRequest = {
    ...whatOf(chosen),
    file_ids: tracks.value.flatMap(({ key }) => readyFile(key)?.id ?? []),
    // Never more than the price that was shown.
    max_credits: Math.max(1, known.credits),
  };
  const body = JSON.stringify(request);
  sent = sent?.body === body ? sent : { body, key: newKey() };
  isStarting.value = true;
  refusal.value = null;
  try {
    const chain = await ask<Chain>(`${data.addresses.api}/chains`, {
      method: 'POST',
      json: request,
      headers: { 'idempotency-key': sent.key },
    });
    // What is lost is only "the same with other files".
    await keepOrder(chain, chosen).catch(() => undefined);
    location.assign(`${data.addresses.chains}${chain.id}`);
  } catch (thrown) {
    refusal.value = problemOf(thrown);
    isStarting.value = false;
  }
}
