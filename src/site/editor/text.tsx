// The transcript as a list of sentences: what is seen of it, and what pointers do in it.
import { formatTime } from '../time-ranges.ts';
import { fill } from '../ui.tsx';
import { goTo, textKeys } from './keys.ts';
import { pageDirection, t } from './page-data.ts';
import { seek } from './playback.ts';
import { isTurn, SentenceRow } from './sentence.tsx';
import {
  doc,
  follow,
  order,
  placeOf,
  reveal,
  selection,
  shownWord,
  source,
  timeSelection,
  totalSeconds,
} from './state.ts';
import { VirtualList } from './virtual-list.tsx';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';

export function Text(): JSX.Element {
  const own = doc.value;
  const name = source.value?.name ?? '';
  const place = reveal.value;
  const drag = useRef<{ readonly anchor: number; readonly x: number; readonly y: number } | null>(null);
  const held = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  if (own === null) return <section class="ed-text" aria-label={fill(t.transcriptOf, { name })} />;
  const wordOf = (event: PointerEvent): number | null => wordUnder(event.clientX, event.clientY);
  const endsEarly = own.heardSeconds < totalSeconds.value - 1;
  return (
    <VirtualList
      class="ed-text"
      id="ed-text"
      role="group"
      tabIndex={0}
      label={fill(t.transcriptOf, { name })}
      describedBy="ed-text-help"
      count={order.value.length}
      estimate={(at) => estimatedHeight(order.value[at] ?? 0)}
      row={(at) => <SentenceRow key={order.value[at]} index={order.value[at] ?? 0} />}
      reveal={place === null ? null : revealOf(place)}
      before={
        own.words.length === 0 ? (
          <p class="soft" dir={pageDirection}>
            {t.noWords}
          </p>
        ) : null
      }
      after={
        endsEarly && own.words.length > 0 ? (
          <p class="small soft" dir={pageDirection}>
            {fill(t.textEnds, { at: formatTime(own.heardSeconds) })}
          </p>
        ) : null
      }
      more={{
        dir: own.direction,
        'data-focus': '',
        onKeyDown: textKeys,
        onWheel: () => void (follow.value = false),
        onPointerDown: (event) => {
          if (event.button !== 0 || (event.target as Element).closest('button, a, select, input, form') !== null)
            return;
          const word = wordOf(event);
          if (word === null) return;
          const at = { anchor: word, x: event.clientX, y: event.clientY };
          if (event.pointerType === 'touch') {
            // A tap plays; holding selects; with a selection, a tap goes on to that word.
            held.current = setTimeout(() => {
              timeSelection.value = null;
              selection.value = { anchor: word, focus: word };
            }, 400);
            drag.current = null;
            return;
          }
          drag.current = at;
          timeSelection.value = null;
          if (event.shiftKey) selection.value = { anchor: selection.value?.anchor ?? word, focus: word };
        },
        onPointerMove: (event) => {
          const start = drag.current;
          if (start === null || event.buttons !== 1) return;
          if (Math.hypot(event.clientX - start.x, event.clientY - start.y) < 4) return;
          const word = wordOf(event);
          if (word !== null) selection.value = { anchor: start.anchor, focus: word };
        },
        onPointerCancel: () => clearTimeout(held.current),
        onPointerUp: (event) => {
          clearTimeout(held.current);
          const word = wordOf(event);
          if (word === null) return;
          if (event.pointerType === 'touch') {
            if (selection.value === null) seek(own.words[word]?.startSeconds ?? 0);
            else if (selection.value.focus !== word) selection.value = { ...selection.value, focus: word };
            return;
          }
          const start = drag.current;
          drag.current = null;
          const moved = start !== null && Math.hypot(event.clientX - start.x, event.clientY - start.y) >= 4;
          if (!moved && !event.shiftKey) goTo(word);
        },
      }}
    />
  );
}

const revealed = new WeakMap<object, { readonly index: number }>();

/** The same object for the same wish, so that the list goes there once. */
function revealOf(place: { readonly sentence: number }): { readonly index: number } {
  let found = revealed.get(place);
  if (found === undefined) revealed.set(place, (found = { index: placeOf(place.sentence) }));
  return found;
}

function estimatedHeight(index: number): number {
  const sentence = doc.value?.sentences[index];
  const words = sentence === undefined ? 0 : sentence.to - sentence.from;
  return 12 + 32 * Math.max(1, Math.ceil(words / 12)) + (isTurn(index) ? 44 : 0);
}

/** The number of the word at a place of the window; null: none. */
function wordUnder(x: number, y: number): number | null {
  const run = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-word]');
  if (!run) return null;
  const first = Number(run.dataset['word']);
  const offset = caretIn(run, x, y);
  let passed = 0;
  const texts = (run.textContent ?? '').split(' ');
  for (const [index, text] of texts.entries()) {
    passed += text.length + 1;
    if (offset < passed) return wordOfToken(first, index);
  }
  return wordOfToken(first, texts.length - 1);
}

/** Words may be written as several, or as none. */
function wordOfToken(first: number, tokens: number): number {
  let left = tokens;
  const own = doc.value;
  for (let word = first; word < (own?.words.length ?? 0); word++) {
    const text = shownWord(word);
    if (text === '') continue;
    left -= text.split(' ').length;
    if (left < 0) return word;
  }
  return first;
}

function caretIn(run: HTMLElement, x: number, y: number): number {
  const place =
    'caretPositionFromPoint' in document
      ? document.caretPositionFromPoint(x, y)
      : // Safari.
        (document as { caretRangeFromPoint?(x: number, y: number): Range | null }).caretRangeFromPoint?.(x, y);
  if (!place) return 0;
  const [node, offset] =
    'offsetNode' in place ? [place.offsetNode, place.offset] : [place.startContainer, place.startOffset];
  return run.contains(node) ? offset : 0;
}
