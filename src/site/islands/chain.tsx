// A chain's page works without this script. While the chain runs, its page is fetched again and what has changed is put
// in place; when it is done, recordings are compared with what became of them.
import { render } from 'preact';
import { spent } from '../account/spent.ts';
import type { ChainData } from '../recipe-data.ts';
import { Chapters, keptChapters } from '../recipe/chapters.tsx';
import { Player, type Side } from '../tool/player.tsx';
import { pageData } from '../ui.tsx';

const lookMs = 1500;
const first = pageData<ChainData>();
const { texts } = first;

const dataOf = (root: ParentNode): ChainData =>
  JSON.parse(root.querySelector('#data')?.textContent ?? 'null') as ChainData;

let isTold = false;

async function follow(): Promise<void> {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const [here, there] = [document, next].map((root) => root.querySelector('#chain'));
  if (!answer.ok || !here || !there) return location.reload();
  const { state, name } = dataOf(next);
  // A button that has the focus stays while nothing but figures change.
  if (state === 'running')
    for (const part of ['#chain-progress', '#chain-steps'])
      here.querySelector(part)?.replaceWith(next.querySelector(part) ?? '');
  else here.replaceWith(there);
  if (state === 'running') return later();
  document.title = next.title;
  // Its price is charged, or given back.
  dispatchEvent(new Event(spent));
  tell(state, name);
  begin();
}

const later = (): void => void setTimeout(() => void follow().catch(() => later()), lookMs);

function tell(state: ChainData['state'], name: string): void {
  if (!isTold || Notification.permission !== 'granted') return;
  const text = (state === 'done' ? texts.toldDone : texts.toldFailed).replace('{name}', name);
  const shown = new Notification(text, { tag: location.pathname });
  shown.addEventListener('click', () => {
    focus();
    shown.close();
  });
}

/** The button that asks to be told; it shows only with this script. */
function offerToTell(): void {
  const button = document.querySelector<HTMLButtonElement>('#tell');
  const said = document.querySelector<HTMLElement>('#told');
  if (button === null || said === null || !('Notification' in globalThis)) return;
  button.hidden = false;
  const ask = async (): Promise<void> => {
    isTold = (await Notification.requestPermission()) === 'granted';
    button.hidden = isTold;
    said.textContent = isTold ? texts.telling : texts.noTelling;
  };
  button.addEventListener('click', () => void ask());
}

/** The transcript; where there is sound to it, chapters are set on it. */
async function showChapters(place: HTMLElement): Promise<void> {
  const { written: url = '', bytes, stem = '', seconds, chain } = place.dataset;
  const { readTranscript } = (await import(first.analyse)) as typeof import('./analyse.ts');
  const written = await readTranscript(url, Number(bytes ?? 0));
  if (written === null) return;
  const kept = chain === undefined ? null : await keptChapters(first.site, chain);
  const shown = { written, stem, endSeconds: Number(seconds ?? 0), kept, texts, speakerText: first.t.speaker };
  render(<Chapters {...shown} />, place);
  place.hidden = false;
}

/** In place of the browser's own players. */
function begin(): void {
  const chapters = document.querySelector<HTMLElement>('#chapters');
  // The transcript can be downloaded all the same.
  if (chapters !== null) void showChapters(chapters).catch(() => undefined);
  for (const place of document.querySelectorAll<HTMLElement>('[data-after]')) {
    const { before, beforePeaks, beforeBytes, after = '', afterPeaks, afterBytes, lazy, lufs } = place.dataset;
    const [lufsA, lufsB] = lufs === undefined ? [] : lufs.split(' ').map(Number);
    const sideOf = (url: string, peaks: string | undefined, bytes: string | undefined, loud: number | undefined) => ({
      lufs: loud,
      url,
      peaks: peaks ?? null,
      bytes: Number(bytes ?? 0),
    });
    const b = sideOf(after, afterPeaks, afterBytes, lufsB);
    const a = before === undefined ? null : sideOf(before, beforePeaks, beforeBytes, lufsA);
    const open = (): void => void show(place, a, b);
    const button = place.querySelector<HTMLButtonElement>('button');
    if (lazy === undefined) open();
    else if (button !== null) {
      button.hidden = false;
      place.querySelector('[data-plain]')?.remove();
      button.addEventListener('click', open, { once: true });
    }
  }
}

interface Heard {
  readonly url: string;
  readonly peaks: string | null;
  readonly bytes: number;
  readonly lufs: number | undefined;
}

async function show(place: HTMLElement, before: Heard | null, after: Heard): Promise<void> {
  const bare = ({ url, lufs }: Heard): Side => ({ url, lufs, analysed: null });
  place.replaceChildren();
  const put = (a: Side | null, b: Side, drawn: Parameters<typeof Player>[0]['draw']): void =>
    render(<Player before={a} after={b} isVideo={false} draw={drawn} group={after.url} />, place);
  put(before && bare(before), bare(after), null);
  const { analyse, draw } = (await import(first.analyse)) as typeof import('./analyse.ts');
  // One after the other: a decoded sound takes much memory.
  const a = before && (await analyse(before, null).catch(() => null));
  const b = await analyse(after, null).catch(() => null);
  put(before && { ...bare(before), analysed: a }, { ...bare(after), analysed: b }, draw);
}

if (first.state === 'running') {
  offerToTell();
  later();
} else begin();
