// A tool's page. The form of options stays as the server made it; files and what happens with them are shown by components.
import { effect } from '@preact/signals';
import { render } from 'preact';
import { keepFocus } from '../focus.ts';
import { takeOver } from '../handing-over.ts';
import { checkForm, enhanceForm } from '../tool/form.ts';
import { Intake } from '../tool/intake.tsx';
import { Stage } from '../tool/stage.tsx';
import { startBatch } from '../tool/batch.ts';
import { batchItems, bring, data, items, mainInput, missing, phase, shownInputs, start } from '../tool/state.ts';

const form = document.querySelector<HTMLFormElement>('#bench');
const intake = document.querySelector<HTMLElement>('#intake');
const settings = document.querySelector<HTMLElement>('#settings');
const live = document.querySelector<HTMLElement>('#live');

if (form !== null && intake !== null && settings !== null && live !== null) {
  enhanceForm(form);
  keepFocus(live.parentElement ?? form);
  intake.replaceChildren();
  render(<Intake />, intake);
  render(<Stage />, live);

  effect(() => {
    form.hidden = phase.value.name !== 'choose';
    settings.hidden = missing() > 0 || Object.values(items.value).every((list) => list.length === 0);
    // A text that may be typed instead of a file is among the options, which must then be shown from the start.
    if (data.exactlyOne.flat().some((name) => form.querySelector(`[data-option=${name}]`) !== null))
      settings.hidden = false;
  });
  effect(() => {
    if (phase.value.name !== 'choose') live.scrollIntoView({ block: 'nearest' });
  });

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (checkForm(form)) void (batchItems().length > 0 ? startBatch(form) : start(form));
  });

  // A file dropped beside the drop zone must not replace the page.
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    const input = shownInputs().length === 1 ? shownInputs()[0] : mainInput();
    if (input !== undefined && phase.value.name === 'choose') bring(input, [...(event.dataTransfer?.files ?? [])]);
  });
  addEventListener('beforeunload', (event) => {
    if (phase.value.name === 'sending') event.preventDefault();
  });

  const handed = await takeOver();
  const main = mainInput();
  if (main !== undefined && handed.length > 0) bring(main, handed);
}
