// A tool's page. The form of options stays as the server made it; files and what happens with them are shown by
// components.
import { effect } from '@preact/signals';
import { render } from 'preact';
import { ask, problemOf } from '../account/requests.ts';
import { spent } from '../account/spent.ts';
import type { FileRecord } from '../../client/api-types.ts';
import type { OwnBench, RunRecord } from '../bench-data.ts';
import { keepFocus } from '../focus.ts';
import { takeOver } from '../handing-over.ts';
import { checkForm, enhanceForm } from '../tool/form.ts';
import { askLeft } from '../tool/left.ts';
import { here } from '../tool/here.ts';
import { Intake } from '../tool/intake.tsx';
import { Stage } from '../tool/stage.tsx';
import { startBatch } from '../tool/batch.ts';
import {
  batchItems,
  bring,
  bringOwn,
  complaint,
  data,
  instead,
  items,
  itemsOf,
  mainInput,
  missing,
  optionsOf,
  settingsOf,
  shownInputs,
} from '../tool/items.ts';
import {
  arrivals,
  askPrice,
  isArriving,
  isPrice,
  keepInStep,
  keptOf,
  price,
  runOfJob,
  type Wish,
  wishes,
} from '../tool/own.ts';
import { said } from '../tool/said.ts';
import { Start } from '../tool/start.tsx';
import { phase, show, start } from '../tool/state.ts';

const form = document.querySelector<HTMLFormElement>('#bench');
const intake = document.querySelector<HTMLElement>('#intake');
const settings = document.querySelector<HTMLElement>('#settings');
const foot = document.querySelector<HTMLElement>('#start');
const live = document.querySelector<HTMLElement>('#live');
const { own } = data;

if (form !== null && intake !== null && settings !== null && foot !== null && live !== null) {
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
  form.classList.add('ready');
  // What is chosen is drawn and heard before a run.
  if (data.look !== null)
    void (import(data.look) as Promise<typeof import('./pauses.ts')>).then(({ show: look }) =>
      effect(() => {
        const sounds = data.inputs.flatMap(itemsOf).map((item) => ({ ...item, kept: keptOf(item) }));
        void look({ form, data, sounds, instead, ask: () => own && askPrice(own) });
      }),
    );
  // Where a run is done is decided with what is chosen.
  if (data.device !== null)
    void (import(data.device.script) as Promise<typeof import('./device.ts')>).then(
      ({ decide }) =>
        effect(() => {
          const lists = shownInputs().map((input) => ({ input, list: itemsOf(input) }));
          const { tool = data.device?.tool ?? '' } = instead.value ?? {};
          decide({ form, data, tool, lists, options: () => optionsOf(form), settingsOf, here });
        }),
      () => void (here.value = null),
    );
  effect(() => {
    if (phase.value.name !== 'choose') live.scrollIntoView({ block: 'nearest' });
  });

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const chosen = (event.submitter as HTMLButtonElement | null)?.value;
    // Where all is free there is one button, without a value.
    const wish: Wish = wishes.find((each) => each === chosen) ?? 'whole';
    // Enter in a field presses a button that is disabled.
    const isReady = here.value ?? (here.value === null && (own === null || isPrice(price.value)));
    if (!isReady || !checkForm(form)) return;
    void (batchItems().length > 0 ? startBatch(form, wish) : start(form, wish));
  });

  // A file dropped beside the drop zone must not replace the page.
  addEventListener('dragover', (event) => event.preventDefault());
  const arrive = (data: DataTransfer | null): void => {
    const input = shownInputs().length === 1 ? shownInputs()[0] : mainInput();
    if (input !== undefined && phase.value.name === 'choose') bring(input, [...(data?.files ?? [])]);
  };
  addEventListener('drop', (event) => {
    event.preventDefault();
    arrive(event.dataTransfer);
  });
  addEventListener('paste', ({ clipboardData }) => arrive(clipboardData));
  addEventListener('beforeunload', (event) => {
    const now = phase.value;
    if (now.name === 'sending' || isArriving() || (now.name === 'running' && now.run.here)) event.preventDefault();
  });

  addEventListener(spent, () => void askLeft());

  if (own !== null) {
    foot.replaceChildren();
    render(<Start own={own} />, foot);
    keepInStep(own);
    // A run changes what is left of credits and free uses.
    const askAgain = (): void => {
      if (phase.value.name === 'choose' && isPrice(price.value)) void askPrice(own);
    };
    phase.subscribe(askAgain);
    addEventListener(spent, askAgain);
    await openAddress(own);
  }
  const handed = await takeOver();
  const main = mainInput();
  if (main !== undefined && handed.length > 0) bring(main, handed);
}

/** ?job=<id>: a job that was started here; ?file=<id>: files that the account has already. */
async function openAddress({ api, ...rest }: OwnBench): Promise<void> {
  const query = new URLSearchParams(location.search);
  const [job, files] = [query.get('job'), query.getAll('file')];
  const main = mainInput();
  try {
    if (job !== null) show(runOfJob({ api, ...rest }, await ask<RunRecord>(`${api}/jobs/${encodeURIComponent(job)}`)));
    if (main !== undefined && files.length > 0) {
      const found = files.map((id) => ask<FileRecord>(`${api}/files/${encodeURIComponent(id)}`));
      bringOwn(main, await Promise.all(found));
    }
  } catch (thrown) {
    complaint.value = said(problemOf(thrown));
  }
  // So that a reload finds the files, which are with the service now.
  effect(() => {
    const list = main === undefined || data.inputs.length > 1 ? [] : (items.value[main.input] ?? []);
    const ready = list.flatMap(({ key }) => {
      const found = arrivals.value[key];
      return found?.name === 'ready' ? [`file=${found.file.id}`] : [];
    });
    if (phase.value.name === 'choose' && ready.length > 0)
      history.replaceState(null, '', `${data.page}?${ready.join('&')}`);
  });
}
