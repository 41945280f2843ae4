// On every page: the footer's choices apply at once, commands can be copied, and the credits in the bar are kept right.
import { spent } from '../account/spent.ts';

const root = document.documentElement;

for (const form of document.querySelectorAll<HTMLFormElement>('form.choice')) {
  form.querySelector('button')?.remove();
  form.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    if (target.name !== 'theme') return form.requestSubmit();
    if (target.value === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = target.value;
    // So that the next page has these colours.
    return void fetch(`${form.action}?theme=${encodeURIComponent(target.value)}`, { redirect: 'manual' });
  });
}

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
  button.hidden = false;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(button.parentElement?.querySelector('code')?.textContent ?? '');
    button.setAttribute('aria-pressed', 'true');
    setTimeout(() => button.removeAttribute('aria-pressed'), 1500);
  };
  button.addEventListener('click', () => void copy());
}

const balance = document.querySelector<HTMLElement>('[data-balance]');
/** What is left now, in the words of the page's language. */
async function showBalance(place: HTMLElement): Promise<void> {
  const answer = await fetch(place.dataset['balance'] ?? '');
  const text = await answer.text();
  if (answer.status === 200) place.textContent = text;
}

/** Runs of many files end close together, and an address has so many requests a minute. */
const pauseMs = 2000;
let [isAsking, asksAgain] = [false, false];

async function keepBalance(place: HTMLElement): Promise<void> {
  asksAgain = true;
  if (isAsking) return;
  isAsking = true;
  while (asksAgain) {
    asksAgain = false;
    await showBalance(place).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  isAsking = false;
}

// Credits are bought in another tab.
if (balance !== null) for (const event of [spent, 'focus']) addEventListener(event, () => void keepBalance(balance));
