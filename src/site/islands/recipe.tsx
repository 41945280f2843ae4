// A recipe's page. The form of options stays as the server made it; files, price and start are shown by components.
import { effect } from '@preact/signals';
import { render } from 'preact';
import { problemOf } from '../account/requests.ts';
import { saidIn } from '../account/said.ts';
import { keepFocus } from '../focus.ts';
import { takeOver } from '../handing-over.ts';
import { Foot, Presets, Steps } from '../recipe/foot.tsx';
import { Bench } from '../recipe/lanes.tsx';
import { keepPrice, putSettings, start } from '../recipe/order.ts';
import { orderOf } from '../recipe/presets.ts';
import { takeFromSignIn } from '../recipe/sign-in.ts';
import {
  arrivals,
  bring,
  bringOwn,
  complaint,
  data,
  isArriving,
  keepSending,
  recordsOf,
  tracks,
} from '../recipe/tracks.ts';

const form = document.querySelector<HTMLFormElement>('#recipe');
const [intake, options, foot, steps, presets] = ['intake', 'options', 'start', 'steps', 'presets'].map((id) =>
  document.getElementById(id),
);

if (form !== null && intake && options && foot && steps && presets) {
  keepFocus(form);
  for (const place of [intake, foot, steps]) place.replaceChildren();
  render(<Bench />, intake);
  render(<Foot />, foot);
  render(<Steps />, steps);
  render(<Presets />, presets);
  // A chain of one's own is written before its files are chosen.
  effect(() => void (options.hidden = tracks.value.length === 0 && data.recipe !== null));

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void start();
  });
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    bring([...(event.dataTransfer?.files ?? [])]);
  });
  addEventListener('paste', ({ clipboardData }) => {
    const files = [...(clipboardData?.files ?? [])];
    if (files.length > 0) bring(files);
  });
  addEventListener('beforeunload', (event) => {
    if (isArriving()) event.preventDefault();
  });
  chainFile(form);
  keepSending();
  keepPrice();
  await openAddress();
  const handed = await takeOver();
  const chosen = handed.length > 0 ? takeFromSignIn() : null;
  if (chosen !== null) putSettings(chosen.settings);
  if (handed.length > 0) bring(handed, chosen?.roles);
}

/** A chain of one's own out of a file. */
function chainFile(within: HTMLFormElement): void {
  const field = within.querySelector<HTMLInputElement>('#chain-file');
  const text = within.querySelector<HTMLTextAreaElement>('#chain');
  field?.addEventListener('change', () => {
    const read = async (): Promise<void> => {
      const written = await field.files?.[0]?.text();
      if (text === null || written === undefined) return;
      text.value = written;
      within.dispatchEvent(new Event('change'));
    };
    void read();
  });
}

/** ?file=<id>: files that the account has; ?again=<chain>: settings of a chain that was started here. */
async function openAddress(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const again = query.get('again');
  const kept = again === null ? null : await orderOf(again).catch(() => null);
  if (kept !== null) putSettings(kept);
  const ids = query.getAll('file');
  if (ids.length > 0 && data.available !== null)
    try {
      bringOwn(await recordsOf(ids));
    } catch (thrown) {
      complaint.value = saidIn(data.errors, problemOf(thrown));
    }
  // So that a reload finds the files, which are with the service now.
  effect(() => {
    const ready = tracks.value.map(({ key }) => arrivals.value[key]);
    const found = ready.flatMap((arrival) => (arrival?.name === 'ready' ? [arrival.file.id] : []));
    if (found.length > 0 && found.length === ready.length)
      history.replaceState(null, '', `${data.addresses.page}?${found.map((id) => `file=${id}`).join('&')}`);
  });
}
