// The print button of a receipt, and whom it is for. Without script, the browser's own menu prints as well.
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => window.print());
}

const [buyer, kept] = [document.querySelector<HTMLTextAreaElement>('#buyer'), 'earshot-buyer'];
if (buyer !== null)
  try {
    buyer.value = localStorage.getItem(kept) ?? buyer.value;
    buyer.addEventListener('input', () => localStorage.setItem(kept, buyer.value));
  } catch {
    // Storage is switched off: what is typed is printed, and not kept.
  }
