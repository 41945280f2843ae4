// The page of an account's files: what is dropped, pasted or chosen there is sent, and films have a picture.
import { problemOf, requests } from '../account/requests.ts';
import { type ErrorTexts, saidIn } from '../account/said.ts';
import type { UploadState } from '../account/upload.ts';
import { showThumbnails } from '../thumbnails.ts';

interface Data {
  /** Address of the REST API. */
  readonly api: string;
  /** Address of the script that sends files. */
  readonly upload: string;
  readonly mostBytes: number;
  readonly language: string;
  readonly t: { readonly sending: string; readonly tooLarge: string; readonly empty: string; readonly failed: string };
  readonly errors: ErrorTexts;
}

const data = JSON.parse(document.querySelector('#data')?.textContent ?? 'null') as Data;
const zone = document.querySelector<HTMLElement>('#drop');
const told = document.querySelector<HTMLElement>('#sent');
const input = zone?.querySelector<HTMLInputElement>('input');
const stops = new AbortController();
let line: Promise<unknown> = Promise.resolve();
let left = 0;
let refused: readonly string[] = [];

const megabytes = (bytes: number): string =>
  `${(bytes / 1e6).toLocaleString(data.language, { maximumFractionDigits: 1 })} MB`;

const say = (text: string): void => {
  if (told !== null) told.textContent = text;
};

/** Why it cannot be sent; null: it can. */
function obstacleOf({ name, size }: File): string | null {
  const { t, mostBytes } = data;
  const text = size === 0 ? t.empty : size > mostBytes ? t.tooLarge : null;
  return (
    text?.replace('{name}', name).replace('{size}', megabytes(size)).replace('{most}', megabytes(mostBytes)) ?? null
  );
}

async function send(file: File): Promise<void> {
  const obstacle = obstacleOf(file);
  const sending = data.t.sending.replace('{name}', file.name);
  const onState = (state: UploadState): void =>
    say(state.name === 'sending' ? `${sending} ${Math.floor(100 * state.share)} %` : sending);
  if (obstacle !== null) refused = [...refused, obstacle];
  else
    try {
      const { upload } = (await import(data.upload)) as typeof import('./upload.ts');
      await upload(file, { requests, api: data.api, signal: stops.signal, onState });
    } catch (thrown) {
      refused = [...refused, `${data.t.failed.replace('{name}', file.name)} ${saidIn(data.errors, problemOf(thrown))}`];
    }
  left -= 1;
  // What was refused stays to be read.
  if (left === 0 && refused.length === 0) location.assign(location.pathname);
  else say(refused.join(' '));
}

function bring(files: readonly File[]): void {
  if (left === 0) refused = [];
  left += files.length;
  for (const file of files) line = line.then(() => send(file));
}

if (zone !== null && input) {
  input.addEventListener('change', () => bring([...(input.files ?? [])]));
  addEventListener('dragover', (event) => {
    event.preventDefault();
    zone.classList.add('over');
  });
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) zone.classList.remove('over');
  });
  addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('over');
    bring([...(event.dataTransfer?.files ?? [])]);
  });
  addEventListener('paste', ({ clipboardData }) => bring([...(clipboardData?.files ?? [])]));
  addEventListener('beforeunload', (event) => {
    if (left > 0) event.preventDefault();
  });
}

showThumbnails(document.querySelectorAll<HTMLElement>('[data-film]'));
