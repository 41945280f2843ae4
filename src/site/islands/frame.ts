// On every page: the footer's choices apply at once, and commands can be copied.
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
