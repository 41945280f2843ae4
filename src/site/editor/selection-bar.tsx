// What can be done with what is selected.
import { isIn } from '../../library/speech/word-edit/spans.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { correctSelection } from './keys.ts';
import { MoveButtons } from './moving.tsx';
import { count, seconds, t } from './page-data.ts';
import { playAround } from './playback.ts';
import {
  cutSelection,
  doc,
  edit,
  isWordCut,
  restoreSelection,
  selectedWords,
  selection,
  shownText,
  timeSelection,
} from './state.ts';
import type { JSX } from 'preact';

/** What can be done with what is selected: by mouse and by thumb. */
export function SelectionBar(): JSX.Element | null {
  const words = selectedWords.value;
  const time = timeSelection.value;
  const own = doc.value;
  if (words === null && time === null) return null;
  const [first, last] = words === null ? [] : [own?.words[words[0]], own?.words[words[1] - 1]];
  const from = time?.[0] ?? first?.startSeconds ?? 0;
  const to = time?.[1] ?? last?.endSeconds ?? 0;
  const isCut = words === null ? time !== null && isIn(edit.value.times, (from + to) / 2) : isWordCut(words[0]);
  return (
    <div
      class="ed-sel"
      role="group"
      aria-label={words === null ? fill(t.selectedTime, { time: seconds(to - from) }) : shownText(words)}
    >
      <p class="small break">
        {words === null ? (
          fill(t.selectedTime, { time: seconds(to - from) })
        ) : (
          <>
            <b>{shownText(words, 28)}</b>{' '}
            <span class="soft">{count(t.selected, words[1] - words[0], { time: seconds(to - from) })}</span>
          </>
        )}
      </p>
      <div class="row">
        {isCut ? (
          <button class="btn s" type="button" aria-keyshortcuts="R" onClick={restoreSelection}>
            <Icon of={icons.undo} />
            {t.restore}
          </button>
        ) : (
          <button class="btn s ink" type="button" aria-keyshortcuts="Delete" onClick={cutSelection}>
            <Icon of={icons.cut} />
            {t.cut}
          </button>
        )}
        {words !== null && (
          <button class="btn s" type="button" aria-keyshortcuts="E" onClick={correctSelection}>
            <Icon of={icons.pen} />
            {t.correct}
          </button>
        )}
        {words !== null && <MoveButtons word={words[0]} />}
        <button
          class="btn s only"
          type="button"
          aria-keyshortcuts="P"
          aria-label={fill(t.playAround, { text: words === null ? '' : shownText(words) })}
          onClick={() => playAround(from, to)}
        >
          <Icon of={icons.play} />
        </button>
        <button
          class="btn s only quiet ed-drop"
          type="button"
          aria-label={t.cancel}
          onClick={() => {
            selection.value = null;
            timeSelection.value = null;
          }}
        >
          <Icon of={icons.x} />
        </button>
      </div>
    </div>
  );
}
