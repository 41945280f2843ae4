// Stretches that were found in a recording: drawn, heard, and each either cut or kept.
import * as icons from '../icons.ts';
import { formOf, type Plural } from '../../library/core/plural.ts';
import type { Peaks } from '../peaks.ts';
import { formatTime } from '../time-ranges.ts';
import { draw } from '../waveform.ts';
import { button, element, onKeys, place, playerKeys, playerOf, type PlayerTexts, showTime, sliderOf } from './panel.ts';
import { heardFrom, type Stretch } from './stretches.ts';

/** Texts of the page, by their names among the site's. */
export interface FoundTexts extends PlayerTexts {
  readonly rangesHear: string;
  readonly foundCuts: Plural;
  readonly foundNone: string;
  readonly foundCut: string;
}

/** A stretch that was found. */
export interface Found {
  readonly id: string;
  readonly stretch: Stretch;
  /** What is heard there; '': nothing to say. */
  readonly text: string;
}

interface Recording {
  readonly url: string;
  readonly end: number;
  /** null: it cannot be drawn. */
  readonly peaks: Peaks | null;
  readonly language: string;
  readonly signal: AbortSignal;
}

export interface FoundPanel {
  readonly root: HTMLElement;
  /** Shows others; those that were kept before stay kept. */
  put(found: readonly Found[]): void;
  /** Those that are not kept. */
  cut(): readonly Found[];
}

/** With more rows the page is slow; all are drawn, and all are cut. */
const mostRows = 300;
/** Heard before and after a stretch, seconds. */
const around = 0.6;

/** "2 cuts, 4.4 s shorter". */
function saidOf(cut: readonly Stretch[], language: string, { foundCuts }: FoundTexts): string {
  const seconds = cut.reduce((sum, [from, to]) => sum + to - from, 0);
  const form = formOf(language, foundCuts, cut.length);
  return form
    .replace('{n}', cut.length.toLocaleString(language))
    .replace('{seconds}', seconds.toLocaleString(language, { maximumFractionDigits: 1 }));
}

/** @param changed something was kept, or is cut after all */
export function foundPanel(
  { url, end, peaks, language, signal }: Recording,
  t: FoundTexts,
  changed: () => void,
): FoundPanel {
  let all: readonly Found[] = [];
  const kept = new Set<string>();
  const cut = (): readonly Found[] => all.filter(({ id }) => !kept.has(id));
  const canvas = element('canvas', { ariaHidden: 'true' });
  const marks = element('div', { className: 'range-marks', ariaHidden: 'true' });
  const time = element('p', { className: 'time' });
  const said = element('p', { className: 'small soft', role: 'status' });
  const list = element('ul', { className: 'rows found' });
  const hear = element('input', { type: 'checkbox', checked: true });
  const sound = {
    url,
    end,
    signal,
    t,
    drawTo: (on: HTMLCanvasElement, head: number) => peaks && draw(on, { peaks, head }),
  };
  const slider = sliderOf(sound, canvas, marks);
  const stretches = (): readonly Stretch[] => cut().map(({ stretch }) => stretch);
  const player = playerOf(sound, (at) => (hear.checked ? heardFrom(at, stretches(), false, end) : at), show);
  const { audio, play, playFrom, seek } = player;

  function show(): void {
    const at = audio.currentTime;
    sound.drawTo(canvas, at / end);
    showTime(slider, time, { at, end, t });
  }
  const told = (): void => {
    said.textContent = all.length === 0 ? t.foundNone : saidOf(stretches(), language, t);
    marks.replaceChildren(
      ...all.map(({ id, stretch }) => {
        const mark = place(element('i'), stretch, end);
        mark.classList.toggle('stays', kept.has(id));
        return mark;
      }),
    );
  };
  const row = ({ id, stretch: [from, to], text }: Found): HTMLElement => {
    const name = `${formatTime(from, 2)} – ${formatTime(to, 2)}`;
    const box = element('input', { type: 'checkbox', checked: !kept.has(id) });
    box.addEventListener('change', () => {
      if (box.checked) kept.delete(id);
      else kept.add(id);
      told();
      changed();
    });
    return element(
      'li',
      { className: 'row row-one' },
      button('only s', `${t.play} ${name}`, icons.play, () =>
        playFrom(Math.max(0, from - around), Math.min(end, to + around)),
      ),
      element('span', { className: 'num' }, name),
      element('span', { className: 'grow break' }, text),
      element('label', { className: 'check' }, box, element('span', {}, t.foundCut)),
    );
  };
  slider.addEventListener('pointerdown', ({ clientX }) => {
    const { left, width } = slider.getBoundingClientRect();
    seek(((clientX - left) / width) * end);
  });
  onKeys(slider, playerKeys(player, end));
  addEventListener('resize', show, { signal });
  const root = element('div', { className: 'panel ranges' });
  root.append(
    element('div', { className: 'transport' }, play, time, said),
    slider,
    element(
      'div',
      { className: 'pad stack-s' },
      list,
      element('label', { className: 'check' }, hear, element('span', {}, t.rangesHear)),
    ),
    audio,
  );
  new ResizeObserver(show).observe(canvas);
  return {
    root,
    cut,
    put(found) {
      all = found;
      list.replaceChildren(...found.slice(0, mostRows).map(row));
      told();
      show();
    },
  };
}
