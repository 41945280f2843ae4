// Stretches of a recording, drawn on its waveform and heard before anything is run. The field with their times stays
// what is sent: what is drawn is written there, and what is written there is drawn. Loaded by the page of a tool that
// takes stretches.
import * as icons from '../icons.ts';
import { analyse, draw } from './analyse.ts';
import type { Look } from '../ranges/look.ts';
import {
  button,
  element,
  onKeys,
  place,
  type PlayerTexts,
  playerKeys,
  playerOf,
  showTime,
  sliderOf,
  type Sound,
} from '../ranges/panel.ts';
import { heardFrom, listedIn, listedPlayer, type Stretch, stretchesOf } from '../ranges/stretches.ts';
import { formatTime } from '../time-ranges.ts';

/** The shortest that a hand draws, seconds. */
const shortest = 0.02;

/** Texts of the page, by their names among the site's. */
interface Texts extends PlayerTexts {
  readonly remove: string;
  readonly rangesHelp: string;
  readonly rangesFrom: string;
  readonly rangesTo: string;
  readonly rangesHear: string;
}

interface Drawn extends Sound {
  readonly t: Texts;
}

let shown: { readonly file: File; readonly leave: () => void } | null = null;

/**
 * Shows the waveform of the chosen file before the field's form of options; takes it away when there is none, or when
 * the browser cannot decode it.
 */
export async function show({ form, sounds, data: { t } }: Look): Promise<void> {
  const field = form.querySelector<HTMLTextAreaElement>('[data-list=times]');
  const file = sounds.length === 1 ? (sounds[0]?.file ?? null) : null;
  if (field === null || file === shown?.file) return;
  shown?.leave();
  shown = null;
  if (file === null) return;
  const url = URL.createObjectURL(file);
  const root = element('div', { className: 'panel ranges' });
  const stops = new AbortController();
  const leave = (): void => {
    stops.abort();
    root.remove();
    URL.revokeObjectURL(url);
  };
  shown = { file, leave };
  const analysed = await analyse(file, null);
  const end = analysed?.measured?.seconds ?? 0;
  // Another file was chosen meanwhile, or this one cannot be drawn: its times are typed.
  if (analysed === null || end === 0 || shown?.file !== file) return;
  build(root, field, {
    url,
    end,
    signal: stops.signal,
    t,
    drawTo: (canvas, head) => draw(canvas, { peaks: analysed.peaks, head }),
  });
  form.querySelector('#settings')?.before(root);
  root.dispatchEvent(new Event('shown'));
}

const inOrder = (a: number, b: number): Stretch => [Math.min(a, b), Math.max(a, b)];

/** The field's times, read and written. */
function timesOf(field: HTMLTextAreaElement, end: number) {
  const optionOf = (name: string): unknown => new FormData(field.form ?? undefined).get(name);
  const mode = (): unknown => optionOf('mode');
  const isListed = (): boolean => mode() === 'keep' && optionOf('order') === 'given';
  const all = (): readonly Stretch[] => (isListed() ? listedIn : stretchesOf)(field.value, end);
  const write = (stretches: readonly Stretch[]): void => {
    field.value = (isListed() ? stretches : stretches.toSorted(([a], [b]) => a - b))
      .map(([from, to]) => `${formatTime(from, 2)}-${formatTime(to, 2)}`)
      .join('\n');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  return {
    all,
    mode,
    isListed,
    add(a: number, b: number): void {
      const [from, to] = inOrder(a, b);
      if (to - from >= shortest) write([...all(), [from, to]]);
    },
    remove: ([a, b]: Stretch): void => write(all().filter(([from, to]) => from !== a || to !== b)),
  };
}

/** Buttons that begin a stretch at the play head, and end it there. */
function endsOf(
  { end, t }: Drawn,
  audio: HTMLAudioElement,
  draft: HTMLElement,
  add: (a: number, b: number) => void,
): readonly [begin: HTMLButtonElement, to: HTMLButtonElement] {
  let from: number | null = null;
  const begin = element('button', { type: 'button', className: 'btn s' }, t.rangesFrom);
  const to = element('button', { type: 'button', className: 'btn s', disabled: true }, t.rangesTo);
  const mark = (isEnd: boolean): void => {
    const at = audio.currentTime;
    if (isEnd && from !== null) add(from, at);
    from = isEnd ? null : at;
    draft.hidden = to.disabled = isEnd;
    place(draft, [at, Math.min(end, at + end / 300)], end);
  };
  begin.addEventListener('click', () => mark(false));
  to.addEventListener('click', () => {
    const hadFocus = document.activeElement === to;
    mark(true);
    // It is disabled now.
    if (hadFocus) begin.focus();
  });
  return [begin, to];
}

function build(root: HTMLElement, field: HTMLTextAreaElement, sound: Drawn): void {
  const { end, signal, t, drawTo } = sound;
  const canvas = element('canvas', { ariaHidden: 'true' });
  const marks = element('div', { className: 'range-marks', ariaHidden: 'true' });
  const slider = sliderOf(sound, canvas, marks);
  const time = element('p', { className: 'time' });
  const list = element('ul', { className: 'rows' });
  const hear = element('input', { type: 'checkbox', checked: true });
  const draft = element('i', { hidden: true });
  const times = timesOf(field, end);
  const heardListed = listedPlayer();
  const player = playerOf(
    sound,
    (at) => {
      if (hear.checked && times.isListed()) return heardListed(at, times.all());
      const isMute = hear.checked && times.mode() === 'mute';
      audio.muted = isMute && times.all().some(([from, to]) => at >= from && at < to);
      return hear.checked && !isMute ? heardFrom(at, times.all(), times.mode() === 'keep', end) : at;
    },
    show,
  );
  const { audio, play, playFrom, seek } = player;

  function show(): void {
    const at = audio.currentTime;
    drawTo(canvas, at / end);
    showTime(slider, time, { at, end, t });
  }
  const row = (stretch: Stretch): HTMLElement => {
    const name = stretch.map((at) => formatTime(at, 2)).join(' – ');
    const remove = (): void => {
      times.remove(stretch);
      slider.focus();
    };
    return element(
      'li',
      { className: 'row row-one' },
      button('only s', `${t.play} ${name}`, icons.play, () => playFrom(...stretch)),
      element('span', { className: 'num grow' }, name),
      button('only s', t.remove.replace('{name}', name), icons.x, remove),
    );
  };
  const listed = (): void => {
    root.classList.toggle('keeps', times.mode() === 'keep');
    marks.replaceChildren(...times.all().map((stretch) => place(element('i'), stretch, end)), draft);
    list.replaceChildren(...times.all().map(row));
  };
  field.form?.addEventListener('input', listed, { signal });
  field.form?.addEventListener('click', ({ target }) => (target as Element).matches('[data-reset]') && listed(), {
    signal,
  });
  field.form?.addEventListener('submit', () => audio.pause(), { signal });
  addEventListener('resize', show, { signal });

  const [begin, to] = endsOf(sound, audio, draft, times.add);
  onPointer(slider, end, {
    seek,
    add: times.add,
    draw: (a, b) => {
      draft.hidden = false;
      place(draft, inOrder(a, b), end);
    },
    drop: () => void (draft.hidden = true),
  });
  const step = (by: number) => (): void => seek(audio.currentTime + by);
  onKeys(slider, {
    ...playerKeys(player, end),
    '.': step(0.01),
    ',': step(-0.01),
    i: () => begin.click(),
    o: () => to.click(),
  });
  root.append(
    element('div', { className: 'transport' }, play, time, element('div', { className: 'row push' }, begin, to)),
    slider,
    element(
      'div',
      { className: 'pad stack-s' },
      element('p', { className: 'small soft' }, t.rangesHelp),
      list,
      element('label', { className: 'check' }, hear, element('span', {}, t.rangesHear)),
    ),
    audio,
  );
  root.addEventListener('shown', () => {
    listed();
    show();
  });
}

interface Hand {
  seek(to: number): void;
  add(a: number, b: number): void;
  draw(a: number, b: number): void;
  drop(): void;
}

/** A press seeks; a press that moves draws a stretch. */
function onPointer(slider: HTMLElement, end: number, { seek, add, draw: drawn, drop }: Hand): void {
  let began: { readonly at: number; readonly x: number } | null = null;
  const timeAt = (x: number): number => {
    const { left, width } = slider.getBoundingClientRect();
    return Math.min(end, Math.max(0, ((x - left) / width) * end));
  };
  const isDrawn = (x: number): boolean => began !== null && Math.abs(x - began.x) > 4;
  slider.addEventListener('pointerdown', ({ clientX, pointerId }) => {
    began = { at: timeAt(clientX), x: clientX };
    slider.setPointerCapture(pointerId);
  });
  slider.addEventListener('pointermove', ({ clientX }) => {
    if (began !== null && isDrawn(clientX)) drawn(began.at, timeAt(clientX));
  });
  slider.addEventListener('pointerup', ({ clientX }) => {
    drop();
    if (began !== null && isDrawn(clientX)) add(began.at, timeAt(clientX));
    else seek(timeAt(clientX));
    began = null;
  });
  slider.addEventListener('pointercancel', () => {
    drop();
    began = null;
  });
}
