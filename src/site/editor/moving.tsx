// Sentences in another order: by keys, by buttons, and by a grip that is dragged.
import { computed, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { moveSentences } from '../../library/speech/word-edit/moved.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { label } from './labels.ts';
import { t } from './page-data.ts';
import { work } from './running.ts';
import { Failure } from './source.ts';
import { act, doc, edit, order, placeOf, reveal, selectedWords, sentenceOf, shownText, source, told } from './state.ts';

/** Pictures are copied forwards: the passages of a film stay in their order. */
const canMove = computed(() => source.value?.hasVideo === false && order.value.length > 1);

/** @param place where it is to be among those that do not move along */
function move(which: readonly number[], place: number): void {
  const others = order.value.filter((each) => !which.includes(each));
  const [first, last] = [doc.value?.sentences[which[0] ?? 0], doc.value?.sentences[which.at(-1) ?? 0]];
  if (first === undefined || last === undefined || place < 0 || place > others.length) return;
  const text = shownText([first.from, last.to]);
  const after = moveSentences(edit.value, order.value.length, which, others[place] ?? null);
  if (after === edit.value) return;
  act(after, label('movedSentence', { text }));
  told.value = fill(t.movedTo, { text, n: place + 1, all: order.value.length });
  reveal.value = { sentence: which[0] ?? 0 };
}

/** Moves the sentences of what is selected, or the one of a word. */
export function moveChosen(word: number, by: number): void {
  if (!canMove.value) {
    if (source.value?.hasVideo === true)
      work.value = { name: 'failed', failure: new Failure('wrong_file_type', t.filmStays) };
    return;
  }
  const [from, to] = selectedWords.value ?? [word, word + 1];
  const [first, last] = [placeOf(sentenceOf(from)), placeOf(sentenceOf(to - 1))];
  move(order.value.slice(first, last + 1), first + by);
}

/** Beside what else can be done with selected words. */
export const MoveButtons = ({ word }: { readonly word: number }): JSX.Element | null =>
  canMove.value ? (
    <>
      <button
        class="btn s only"
        type="button"
        aria-keyshortcuts="Alt+ArrowUp"
        aria-label={t.moveUp}
        onClick={() => moveChosen(word, -1)}
      >
        <Icon of={icons.arrup} />
      </button>
      <button
        class="btn s only"
        type="button"
        aria-keyshortcuts="Alt+ArrowDown"
        aria-label={t.moveDown}
        onClick={() => moveChosen(word, 1)}
      >
        <Icon of={icons.arrdn} />
      </button>
    </>
  ) : null;

/** What is dragged, and the place in the order in front of which it would go. */
const dragged = signal<{ readonly sentence: number; readonly place: number } | null>(null);

/** How a row looks while one is dragged. */
export function dropAt(sentence: number): string {
  const now = dragged.value;
  if (now === null) return '';
  const place = placeOf(sentence);
  if (now.sentence === sentence) return 'moving';
  return now.place === place
    ? 'drop-before'
    : now.place === place + 1 && place + 1 === order.value.length
      ? 'drop-after'
      : '';
}

/** So near to an edge, px, the text scrolls. */
const edgePixels = 48;

function drag(sentence: number): void {
  const box = document.querySelector<HTMLElement>('#ed-text');
  if (box === null) return;
  let y: number | null = null;
  let frame = 0;
  const look = (): void => {
    frame = requestAnimationFrame(look);
    if (y === null) return;
    const { top, bottom } = box.getBoundingClientRect();
    if (y < top + edgePixels) box.scrollTop -= 8;
    else if (y > bottom - edgePixels) box.scrollTop += 8;
    let place = order.value.length;
    for (const row of box.querySelectorAll<HTMLElement>('[data-sentence]')) {
      const { top: from, height } = row.getBoundingClientRect();
      if (y >= from + height / 2) continue;
      place = placeOf(Number(row.dataset['sentence']));
      break;
    }
    if (dragged.peek()?.place !== place) dragged.value = { sentence, place };
  };
  const end = (isDone: boolean): void => {
    const now = dragged.value;
    cancelAnimationFrame(frame);
    control.abort();
    dragged.value = null;
    if (isDone && now !== null) move([sentence], now.place - (placeOf(sentence) < now.place ? 1 : 0));
  };
  const control = new AbortController();
  // Of the page: the row may leave the list while it is dragged.
  const on = { signal: control.signal };
  document.addEventListener('pointermove', (event) => void (y = event.clientY), on);
  document.addEventListener('pointerup', () => end(true), on);
  document.addEventListener('pointercancel', () => end(false), on);
  document.addEventListener('keydown', (event) => event.key === 'Escape' && end(false), on);
  frame = requestAnimationFrame(look);
}

export const Grip = ({ index, at }: { readonly index: number; readonly at: string }): JSX.Element | null =>
  canMove.value ? (
    <button
      class="btn only quiet ed-grip"
      type="button"
      tabIndex={-1}
      aria-label={fill(t.moveOf, { at })}
      title={t.moveHelp}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        drag(index);
      }}
    >
      <Icon of={icons.grip} />
    </button>
  ) : null;
