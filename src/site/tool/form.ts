// Enhances the form of options, which works without script: sliders and fields move together, what differs from the
// default is marked and can be reset, what does not apply is hidden, and errors are shown at their field.

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Those that hold the option's value; the hidden ones are for browsers without scripts. */
const controlsOf = (field: Element): readonly Control[] => [
  ...field.querySelectorAll<Control>('input:not([type=hidden]):not([type=range]), select, textarea'),
];

const valueOf = (field: Element): string => {
  const controls = controlsOf(field);
  const [first] = controls;
  if (first instanceof HTMLInputElement && first.type === 'radio')
    return controls.find((control) => (control as HTMLInputElement).checked)?.value ?? '';
  if (first instanceof HTMLInputElement && first.type === 'checkbox') return String(first.checked);
  return first?.value ?? '';
};

function setValue(field: Element, value: string): void {
  for (const control of controlsOf(field))
    if (control instanceof HTMLInputElement && control.type === 'radio') control.checked = control.value === value;
    else if (control instanceof HTMLInputElement && control.type === 'checkbox') control.checked = value === 'true';
    else control.value = value;
}

export function enhanceForm(form: HTMLFormElement): void {
  const fields = [...form.querySelectorAll<HTMLElement>('[data-option]')];
  form.noValidate = true;
  const refresh = (): void => {
    for (const field of fields) {
      const { usual = '', only, values = '' } = field.dataset;
      const differs = valueOf(field) !== usual;
      field.classList.toggle('chg', differs);
      field.querySelector<HTMLElement>('.usual')?.toggleAttribute('hidden', !differs);
      const other = only === undefined ? undefined : fields.find(({ dataset }) => dataset['option'] === only);
      field.hidden = other !== undefined && !values.split(' ').includes(valueOf(other));
      const control = controlsOf(field)[0];
      const slider = field.querySelector<HTMLInputElement>('input[type=range]');
      if (slider !== null && control !== undefined) slider.value = control.value;
      if (control?.getAttribute('aria-invalid') === 'true') check(field);
    }
  };
  for (const slider of form.querySelectorAll<HTMLInputElement>('input[type=range]'))
    slider.addEventListener('input', () => {
      const target = document.getElementById(slider.dataset['for'] ?? '') as HTMLInputElement | null;
      if (target !== null) target.value = slider.value;
      refresh();
    });
  for (const button of form.querySelectorAll<HTMLButtonElement>('[data-reset]'))
    button.addEventListener('click', () => {
      const field = button.closest<HTMLElement>('[data-option]');
      if (field === null) return;
      setValue(field, field.dataset['usual'] ?? '');
      refresh();
      controlsOf(field)[0]?.focus();
    });
  form.addEventListener('input', refresh);
  form.addEventListener('change', ({ target }) => {
    const field = (target as Element).closest<HTMLElement>('[data-option]');
    if (field !== null) check(field);
    refresh();
  });
  refresh();
}

/** Shows what is wrong with a field; true when nothing is. */
function check(field: HTMLElement): boolean {
  const control = controlsOf(field)[0];
  const error = field.querySelector<HTMLElement>('.err');
  if (control === undefined || error === null) return true;
  const isFine: boolean = !!field.hidden || control.validity.valid;
  // The hint above says what is expected, in the language of the page.
  error.textContent = isFine ? '' : control.validationMessage;
  error.hidden = isFine;
  control.setAttribute('aria-invalid', isFine ? 'false' : 'true');
  return isFine;
}

/** Checks all fields, and moves the focus to the first wrong one. */
export function checkForm(form: HTMLFormElement): boolean {
  const wrong = [...form.querySelectorAll<HTMLElement>('[data-option]')].filter((field) => !check(field));
  const [first] = wrong;
  if (first === undefined) return true;
  first.closest('details')?.setAttribute('open', '');
  controlsOf(first)[0]?.focus();
  return false;
}
