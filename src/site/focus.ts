// Where the focus goes when the element that had it is gone, hidden or disabled: browsers drop it, and the next Tab
// begins at the top of the page.

const focusable =
  'a[href], button:enabled, input:enabled:not([type=hidden]), select:enabled, textarea:enabled, summary, ' +
  '[tabindex="0"]';

const canHold = (element: HTMLElement): boolean =>
  element.isConnected && element.checkVisibility() && !element.matches(':disabled');

/**
 * Keeps the focus within a part of the page. It goes to the nearest element around the lost one that has a place for
 * it: one marked `data-focus`, or else the first that Tab would reach. `data-focus="#id"` names another place.
 */
export function keepFocus(root: Element): void {
  let last: HTMLElement | null = null;
  let around: readonly HTMLElement[] = [];
  document.addEventListener('focusin', ({ target }) => {
    last = null;
    if (!(target instanceof HTMLElement) || !root.contains(target)) return;
    last = target;
    around = parents(target, root);
  });
  // A press on nothing drops the focus on purpose.
  document.addEventListener('pointerdown', () => void (last = null), { capture: true });
  new MutationObserver(() => {
    const now = document.activeElement;
    if (last === null || (now !== null && now !== document.body && !now.matches(':disabled'))) return;
    // It was only moved.
    const next = canHold(last) ? last : placeIn(around);
    last = null;
    next?.focus();
  }).observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ['hidden', 'disabled'] });
}

function parents(element: HTMLElement, root: Element): readonly HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let at = element.parentElement; at !== null && root.contains(at); at = at.parentElement) found.push(at);
  return found;
}

function placeIn(around: readonly HTMLElement[]): HTMLElement | null {
  for (const each of around.filter(canHold)) {
    const { focus } = each.dataset;
    const marked = focus === '' ? [each] : [...document.querySelectorAll<HTMLElement>(focus ?? ':not(*)')];
    const within = [
      ...each.querySelectorAll<HTMLElement>('[data-focus=""]'),
      ...each.querySelectorAll<HTMLElement>(focusable),
    ];
    const place = [...marked, ...within].find(canHold);
    if (place !== undefined) return place;
  }
  return null;
}
