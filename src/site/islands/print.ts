// The print button of a receipt, and whom it is for. Without script, the browser's own menu prints as well.
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => window.print());
}

// Kept with the account as soon as it is typed; the button is for browsers without scripts.
const buyer = document.querySelector<HTMLTextAreaElement>('#buyer');
const button = buyer?.form?.querySelector('button');
if (buyer && button) {
  button.hidden = true;
  const keep = async (): Promise<void> => {
    const answer = await fetch(buyer.dataset['keep'] ?? '', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ value: { text: buyer.value } }),
    }).catch(() => null);
    // Then it is sent by a press.
    button.hidden = answer?.ok === true;
  };
  buyer.addEventListener('change', () => void keep());
}
