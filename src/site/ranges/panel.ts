// Parts of panels that draw and play a chosen recording before anything is run: stretches drawn by hand, pauses that
// were found, cuts of a list.
import * as icons from '../icons.ts';
import { formatTime } from '../time-ranges.ts';
import type { Stretch } from './stretches.ts';

/** Texts of a player, by their names among the site's. */
export interface PlayerTexts {
  readonly play: string;
  readonly pause: string;
  readonly position: string;
  readonly positionText: string;
}

export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  given: Partial<HTMLElementTagNameMap[Name]> = {},
  ...inside: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const made = Object.assign(document.createElement(name), given);
  made.append(...inside);
  return made;
};

function iconOf(content: string): Element {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.ariaHidden = 'true';
  svg.innerHTML = content;
  return svg;
}

export const button = (look: string, label: string, content: string, act: () => void): HTMLButtonElement => {
  const made = element('button', { type: 'button', className: `btn ${look}`, ariaLabel: label }, iconOf(content));
  made.addEventListener('click', act);
  return made;
};

/** A play button, as it is while something plays or not. */
export function setPlaying(play: HTMLButtonElement, isPlaying: boolean, t: Pick<PlayerTexts, 'play' | 'pause'>): void {
  play.ariaLabel = isPlaying ? t.pause : t.play;
  play.replaceChildren(iconOf(isPlaying ? icons.pause : icons.play));
}

export interface Sound {
  readonly url: string;
  readonly end: number;
  readonly signal: AbortSignal;
  readonly t: PlayerTexts;
  drawTo(canvas: HTMLCanvasElement, head: number): void;
}

/** Plays all without what is not heard, or one stretch alone. */
export function playerOf({ url, end, signal, t }: Sound, heard: (at: number) => number | null, show: () => void) {
  const audio = element('audio', { src: url, preload: 'auto' });
  /** Of a stretch that is played alone; null: all is played. */
  let until: number | null = null;
  const follow = (): void => {
    if (audio.paused || signal.aborted) return;
    const at = audio.currentTime;
    const next = until === null ? heard(at) : at < until ? at : null;
    if (next === null) audio.pause();
    else if (Math.abs(next - at) > 0.001) audio.currentTime = next;
    show();
    requestAnimationFrame(follow);
  };
  const playFrom = (from: number, to: number | null): void => {
    until = to;
    audio.muted = false;
    audio.currentTime = from;
    void audio.play().then(follow, () => undefined);
  };
  const play = button('only l ink', t.play, icons.play, () => {
    if (audio.paused) playFrom(audio.currentTime >= end - 0.05 ? 0 : audio.currentTime, null);
    else audio.pause();
  });
  for (const event of ['play', 'pause', 'ended'])
    audio.addEventListener(event, () => {
      setPlaying(play, !audio.paused, t);
    });
  audio.addEventListener('seeked', show);
  signal.addEventListener('abort', () => audio.pause());
  return {
    audio,
    play,
    playFrom,
    seek(to: number): void {
      audio.currentTime = Math.min(end, Math.max(0, to));
      show();
    },
  };
}

export function place(mark: HTMLElement, [from, to]: Stretch, end: number): HTMLElement {
  mark.style.insetInlineStart = `${(from / end) * 100}%`;
  mark.style.width = `${((to - from) / end) * 100}%`;
  return mark;
}

export function sliderOf({ t, end }: Sound, ...inside: readonly Node[]): HTMLElement {
  const slider = element('div', { className: 'wave m', role: 'slider', tabIndex: 0, ariaLabel: t.position }, ...inside);
  slider.ariaValueMin = '0';
  slider.ariaValueMax = end.toFixed(1);
  return slider;
}

export function onKeys(slider: HTMLElement, keys: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  slider.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(event);
  });
}

/** The place of the play head, in figures and for screen readers. */
export function showTime(
  slider: HTMLElement,
  time: HTMLElement,
  { at, end, t }: { readonly at: number; readonly end: number; readonly t: PlayerTexts },
): void {
  time.replaceChildren(formatTime(at, 2), ' ', element('small', {}, `/ ${formatTime(end)}`));
  slider.ariaValueNow = at.toFixed(1);
  slider.ariaValueText = t.positionText.replace('{at}', formatTime(at, 2)).replace('{end}', formatTime(end));
}

/** Keys of a waveform. */
export function playerKeys({ audio, seek, play }: ReturnType<typeof playerOf>, end: number) {
  const step = (by: number) => (): void => seek(audio.currentTime + by);
  return {
    ArrowRight: step(1),
    ArrowLeft: step(-1),
    PageDown: step(5),
    PageUp: step(-5),
    Home: () => seek(0),
    End: () => seek(end),
    ' ': () => play.click(),
  };
}
