// A sentence of the transcript. Words are not elements of their own: there is one for each stretch of words that look
// alike.
import { isSpaced } from '../../library/contract/join-words.ts';
import { isIn } from '../../library/speech/word-edit/spans.ts';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { Fix } from './fix.tsx';
import { BesideRow } from './languages.tsx';
import { dropAt, Grip } from './moving.tsx';
import { pageDirection, seconds, t } from './page-data.ts';
import { seek } from './playback.ts';
import { hitAt, hits } from './finding.ts';
import {
  asked,
  correcting,
  decide,
  doc,
  edit,
  giveSentence,
  isWordCut,
  nowWord,
  order,
  pausesBefore,
  placeOf,
  selectedWords,
  shownWord,
  speakerName,
  speakerOf,
  speakers,
} from './state.ts';
import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';

/** Does somebody else begin to speak? */
export const isTurn = (index: number): boolean => {
  const speaker = speakerOf(index);
  const before = order.value[placeOf(index) - 1];
  return speaker !== null && (before === undefined || speakerOf(before) !== speaker);
};

export function SentenceRow({ index }: { readonly index: number }): JSX.Element | null {
  const own = doc.value;
  // So that only the row of the word is drawn again while it plays.
  const now = useComputed(() => {
    const at = nowWord.value;
    const span = doc.value?.sentences[index];
    return span !== undefined && at >= span.from && at < span.to ? at : -1;
  }).value;
  const sentence = own?.sentences[index];
  if (own === null || sentence === undefined) return null;
  const isHere = now >= 0;
  const time = formatTime(sentence.startSeconds, own.heardSeconds >= 3600 ? 0 : 1);
  return (
    <div
      class={`sent ${isHere ? 'here' : ''} ${index in edit.value.moves ? 'moved' : ''} ${dropAt(index)}`}
      data-sentence={index}
    >
      {isTurn(index) && <Who index={index} />}
      <a
        class="at"
        href={`#${index}`}
        tabIndex={-1}
        aria-label={fill(t.playFrom, { at: time })}
        onClick={(event) => {
          event.preventDefault();
          seek(sentence.startSeconds);
        }}
      >
        {time}
      </a>
      <Grip index={index} at={time} />
      <p lang={own.language} dir={own.direction === 'rtl' ? 'rtl' : 'auto'}>
        <Words from={sentence.from} to={sentence.to} now={now} />
      </p>
      <BesideRow index={index} />
    </div>
  );
}

function Who({ index }: { readonly index: number }): JSX.Element {
  const speaker = speakerOf(index) ?? 1;
  return (
    <p class="who">
      <label class="ed-who">
        <span class="sr">{t.who}</span>
        <select
          class="ed-select"
          value={String(speaker)}
          onChange={({ currentTarget }) => giveSentence(index, Number(currentTarget.value))}
        >
          {[...speakers.value, Math.max(0, ...speakers.value) + 1].map((each) => (
            <option key={each} value={String(each)}>
              {speakerName(each)}
            </option>
          ))}
        </select>
        <Icon of={icons.chev} />
      </label>
    </p>
  );
}

interface WordsProps {
  readonly from: number;
  readonly to: number;
  /** The word that is heard; -1: none of these. */
  readonly now: number;
}

function Words({ from, to, now }: WordsProps): JSX.Element {
  const own = doc.value;
  const { texts } = edit.value;
  const picked = selectedWords.value;
  const found = hits.value;
  const hit = found[hitAt.value];
  const fixing = correcting.value;
  const parts: (JSX.Element | string)[] = [];
  const lookOf = (word: number): string => {
    const looks: string[] = [];
    if (isWordCut(word, edit.value)) looks.push('w-cut');
    else if (asked.value.has(word)) looks.push('w-ask');
    if (texts[word] !== undefined) looks.push('w-fix');
    if (own?.words[word]?.matched === false) looks.push('w-doubt');
    if (picked !== null && word >= picked[0] && word < picked[1]) looks.push('w-sel');
    if (found.length > 0 && isIn(found, word))
      looks.push(hit !== undefined && word >= hit[0] && word < hit[1] ? 'w-hit on' : 'w-hit');
    if (word === now) looks.push('w-now');
    return looks.join(' ');
  };
  for (let word = from; word < to;) {
    if (fixing !== null && word >= fixing[0] && word < fixing[1]) {
      if (word === Math.max(from, fixing[0])) parts.push(<Fix key="fix" />, ' ');
      word = Math.min(to, fixing[1]);
      continue;
    }
    const first = word;
    const look = lookOf(word);
    let text = '';
    for (; word < to && lookOf(word) === look && word !== fixing?.[0]; word++) {
      if (word > first && pausesBefore.value.has(word)) break;
      const shown = shownWord(word);
      if (shown === '') continue;
      text += (text !== '' && isSpaced(text, shown, own?.language ?? 'en') ? ' ' : '') + shown;
    }
    const pause = pausesBefore.value.get(first);
    if (pause !== undefined) parts.push(<Gap key={`g${first}`} id={first} />, ' ');
    if (text !== '') {
      const isCut = look.includes('w-cut');
      const Tag = isCut ? 'del' : look.includes('w-hit') ? 'mark' : 'span';
      parts.push(
        <Tag key={first} class={look === '' ? undefined : look} data-word={first} title={titleOf(first, look)}>
          {text}
        </Tag>,
      );
      if (isCut && !isWordCut(word, edit.value))
        parts.push(<i key={`s${first}`} class="seam" role="img" aria-label={t.seam} />);
      const next = shownWord(word);
      if (word < to && isSpaced(text, next, own?.language ?? 'en')) parts.push(' ');
    }
  }
  return <>{parts}</>;
}

function titleOf(word: number, look: string): string | undefined {
  if (look.includes('w-fix')) return fill(t.was, { text: doc.value?.words[word]?.text ?? '' });
  return look.includes('w-doubt') ? t.notSaid : undefined;
}

/** A long pause, as its length; pressed, it is shortened. */
function Gap({ id }: { readonly id: number }): JSX.Element | null {
  const pause = pausesBefore.value.get(id);
  if (pause === undefined) return null;
  const isCut = isIn(edit.value.times, (pause.cut[0] + pause.cut[1]) / 2);
  const length = seconds(pause.endSeconds - pause.startSeconds);
  return (
    <button
      type="button"
      tabIndex={-1}
      dir={pageDirection}
      class={`gap ${isCut ? 'w-cut' : ''}`}
      aria-pressed={isCut}
      aria-label={fill(t.pauseOf, { n: length })}
      onClick={() => decide(pause, isCut ? 'open' : 'cut')}
    >
      {length} s
    </button>
  );
}
