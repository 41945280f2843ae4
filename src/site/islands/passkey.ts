// Passkeys: signing in with one, and creating one. Without this script, or without passkeys, people use links.

const supported =
  typeof PublicKeyCredential === 'function' && 'parseCreationOptionsFromJSON' in PublicKeyCredential && isSecureContext;

async function post(url: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  });
  // The sign-in has become too old: the page now says what to do.
  if (answer.status === 403 && (await answer.clone().text()).includes('old_sign_in')) location.reload();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return (await answer.json()) as Record<string, unknown>;
}

/** Runs the action, and shows a failure below the button. */
async function attempt(button: HTMLElement, failedId: string, work: () => Promise<string>): Promise<void> {
  const failed = document.getElementById(failedId);
  if (failed !== null) failed.hidden = true;
  button.setAttribute('aria-busy', 'true');
  try {
    location.assign(await work());
  } catch {
    if (failed !== null) failed.hidden = false;
  } finally {
    button.removeAttribute('aria-busy');
  }
}

const asJson = (credential: Credential | null): object => {
  if (credential === null) throw new Error('no passkey');
  return (credential as PublicKeyCredential).toJSON();
};

if (supported) {
  for (const button of document.querySelectorAll<HTMLElement>('[data-passkey]')) {
    const url = button.dataset['passkey'] ?? '';
    button.hidden = false;
    button.addEventListener(
      'click',
      () =>
        void attempt(button, button.dataset['failed'] ?? '', async () => {
          const options = (await post(`${url}/challenge`, {})) as unknown as PublicKeyCredentialRequestOptionsJSON;
          const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
          await post(url, asJson(await navigator.credentials.get({ publicKey })));
          return button.dataset['next'] ?? '/';
        }),
    );
  }
  for (const form of document.querySelectorAll<HTMLFormElement>('[data-add-passkey]')) {
    const url = form.dataset['addPasskey'] ?? '';
    const token = form.dataset['form'] ?? '';
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const name = form.querySelector('input')?.value ?? '';
      void attempt(form, form.dataset['failed'] ?? '', async () => {
        const options = (await post(`${url}/options`, {
          form: token,
        })) as unknown as PublicKeyCredentialCreationOptionsJSON;
        const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
        const { next } = await post(url, {
          form: token,
          name,
          response: asJson(await navigator.credentials.create({ publicKey })),
        });
        return String(next);
      });
    });
  }
}
