// The lists beside the text: fillers and repeats, pauses, other sounds, seams, speakers.
import { keptPauseSeconds, longPauseSeconds } from '../../library/contract/edit-defaults.ts';
import { signal, useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { restoreTime, restoreWords } from '../../library/speech/word-edit/word-edit.ts';
import { spanAt, touches, type Span } from '../../library/speech/word-edit/spans.ts';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { Captions } from './captions.tsx';
import { goToSuggestion } from './keys.ts';
import { label } from './labels.ts';
import { count, seconds, t } from './page-data.ts';
import { playAround } from './playback.ts';
import {
  act,
  allTabs,
  cutOpen,
  decide,
  decisionOf,
  doc,
  edit,
  labelOf,
  mergeSpeakers,
  nameSpeaker,
  pauseList,
  position,
  removed,
  shownText,
  soundList,
  speakerName,
  speakerOf,
  speakers,
  tab,
  wordList,
} from './state.ts';
import type { Suggestion } from './suggestions.ts';
import { VirtualList } from './virtual-list.tsx';

/** On a phone the list takes a third of the screen: it is opened. Where it is beside the text it is always seen. */
const isOpen = signal(!matchMedia('(max-width: 44rem)').matches);

function show(which: (typeof allTabs)[number]): void {
  tab.value = which;
  isOpen.value = true;
}

export function Side(): JSX.Element {
  const sizes = {
    fillers: wordList.value.length,
    pauses: pauseList.value.length,
    sounds: soundList.value.length,
    seams: removed.value.length,
    speakers: speakers.value.length,
    captions: null,
  };
  // A transcript that tells no sounds has no list of them.
  const tabs = allTabs.filter((each) => each !== 'sounds' || (doc.value?.events.length ?? 0) > 0);
  const move = (by: number): void => {
    tab.value = tabs[(tabs.indexOf(tab.value) + by + tabs.length) % tabs.length] ?? 'fillers';
    document.querySelector<HTMLElement>(`#tab-${tab.value}`)?.focus();
  };
  return (
    <section class="ed-side" aria-label={t.side}>
      <div class="ed-tabs">
        <div class="tabs" role="tablist" aria-label={t.side}>
          {tabs.map((each) => (
            <button
              key={each}
              class="tab"
              id={`tab-${each}`}
              role="tab"
              type="button"
              aria-selected={tab.value === each}
              aria-controls="ed-list"
              tabIndex={tab.value === each ? 0 : -1}
              onClick={() => show(each)}
              onKeyDown={({ key }) => {
                if (key === 'ArrowRight') move(1);
                if (key === 'ArrowLeft') move(-1);
              }}
            >
              {t[each]} {sizes[each] !== null && <span class="num">{sizes[each]}</span>}
            </button>
          ))}
        </div>
        <button
          class="btn only quiet ed-shut"
          type="button"
          aria-label={t.side}
          aria-expanded={isOpen.value}
          aria-controls="ed-list"
          onClick={() => void (isOpen.value = !isOpen.value)}
        >
          <Icon of={icons.chev} />
        </button>
      </div>
      <div class="ed-list" id="ed-list" role="tabpanel" aria-labelledby={`tab-${tab.value}`}>
        {tab.value === 'fillers' && <Suggestions key="fillers" list={wordList.value} none={t.none.fillers} />}
        {tab.value === 'pauses' && (
          <Suggestions
            key="pauses"
            list={pauseList.value}
            none={fill(t.none.pauses, { n: seconds(longPauseSeconds, 1) })}
          />
        )}
        {tab.value === 'sounds' && <Suggestions key="sounds" list={soundList.value} none={t.none.sounds} />}
        {tab.value === 'seams' && <Seams />}
        {tab.value === 'speakers' && <Speakers />}
        {tab.value === 'captions' && <Captions />}
      </div>
    </section>
  );
}

interface SuggestionsProps {
  readonly list: readonly Suggestion[];
  readonly none: string;
}

const freed = (suggestion: Suggestion): number =>
  'cut' in suggestion ? suggestion.cut[1] - suggestion.cut[0] : suggestion.endSeconds - suggestion.startSeconds;

function Suggestions({ list, none }: SuggestionsProps): JSX.Element {
  if (list.length === 0) return <p class="small soft pad-s">{none}</p>;
  const now = edit.value;
  const decisions = list.map((each) => decisionOf(each, now));
  const open = decisions.filter((each) => each === 'open').length;
  const cut = decisions.filter((each) => each === 'cut').length;
  const kept = list.length - open - cut;
  const all = list.reduce((sum, each) => sum + freed(each), 0);
  return (
    <>
      <div class="row pad-s">
        <p class="small soft">
          {cut + kept === 0 ? fill(t.frees, { n: seconds(all) }) : fill(t.counts, { cut, kept, open })}
        </p>
        {open > 0 && (
          <button class="btn s push" type="button" onClick={() => cutOpen(list)}>
            {fill(cut + kept === 0 ? t.cutAll : t.cutOthers, { n: open })}
          </button>
        )}
      </div>
      <VirtualList
        class="ed-rows"
        role="list"
        label={t.side}
        count={list.length}
        estimate={() => 62}
        row={(index) => <Item suggestion={list[index] as Suggestion} />}
      />
    </>
  );
}

function Item({ suggestion }: { readonly suggestion: Suggestion }): JSX.Element {
  const decision = decisionOf(suggestion);
  const { startSeconds, endSeconds, kind } = suggestion;
  const isHere = useComputed(() => position.value >= startSeconds && position.value < endSeconds).value;
  const label = labelOf(suggestion);
  const length = endSeconds - startSeconds;
  return (
    <div class={`item ${isHere ? 'here' : ''}`} role="listitem">
      <button class="t ed-go" type="button" onClick={() => goToSuggestion(suggestion)}>
        {label}
      </button>
      <p class="m">
        <span class="num">{formatTime(startSeconds, 2)}</span> · {t.why[kind]} ·{' '}
        {decision === 'kept' ? (
          t.kept
        ) : decision === 'cut' && kind === 'pause' ? (
          <span class="num">{fill(t.shortened, { from: seconds(length), to: seconds(keptPauseSeconds) })}</span>
        ) : (
          <span class="num">{fill(decision === 'cut' ? t.cutOf : t.wouldFree, { n: seconds(freed(suggestion)) })}</span>
        )}
      </p>
      <div class="do">
        {decision === 'open' ? (
          <>
            <button
              class="btn s only quiet"
              type="button"
              aria-label={fill(t.playAround, { text: label })}
              onClick={() => playAround(startSeconds, endSeconds)}
            >
              <Icon of={icons.play} />
            </button>
            <button
              class="btn s"
              type="button"
              aria-label={`${t.keep}: ${label}`}
              onClick={() => decide(suggestion, 'kept')}
            >
              {t.keep}
            </button>
            <button
              class="btn s"
              type="button"
              aria-label={`${t.cut}: ${label}`}
              onClick={() => decide(suggestion, 'cut')}
            >
              {kind === 'pause' ? t.shorten : t.cut}
            </button>
          </>
        ) : (
          <button
            class="btn s"
            type="button"
            aria-label={`${t.restore}: ${label}`}
            onClick={() => decide(suggestion, 'open')}
          >
            <Icon of={icons.undo} />
            {t.restore}
          </button>
        )}
      </div>
    </div>
  );
}

/** The words that a cut took, by its time. */
function wordsIn([from, to]: Span): Span | null {
  const words = doc.value?.words ?? [];
  for (const span of edit.value.cut) {
    const [first, last] = [words[span[0]], words[span[1] - 1]];
    if (first === undefined || last === undefined) continue;
    if (touches([[from, to]], [first.startSeconds, Math.max(last.endSeconds, first.startSeconds + 0.001)])) return span;
  }
  return null;
}

function Seams(): JSX.Element {
  const list = removed.value;
  if (list.length === 0) return <p class="small soft pad-s">{t.none.seams}</p>;
  return (
    <VirtualList
      class="ed-rows"
      role="list"
      label={t.seams}
      count={list.length}
      estimate={() => 62}
      row={(index) => <Seam span={list[index] as Span} />}
    />
  );
}

function Seam({ span }: { readonly span: Span }): JSX.Element {
  const words = wordsIn(span);
  const named = fill(t.seamAt, { at: formatTime(span[0], 2) });
  const restore = (): void => {
    let now = edit.value;
    if (words !== null) now = restoreWords(now, words);
    for (let own = spanAt(now.times, (span[0] + span[1]) / 2); own !== null; own = null) now = restoreTime(now, own);
    for (const own of now.times.filter((each) => each[1] > span[0] && each[0] < span[1])) now = restoreTime(now, own);
    act(
      now,
      words === null
        ? label('restoredTime', { time: span[1] - span[0] })
        : label('restored', { text: shownText(words) }),
    );
  };
  return (
    <div class="item" role="listitem">
      <p class="t">{named}</p>
      <p class="m">
        {fill(t.seamOut, { text: words === null ? t.why.pause : shownText(words, 24), n: seconds(span[1] - span[0]) })}
      </p>
      <div class="do">
        <button
          class="btn s only quiet"
          type="button"
          aria-label={fill(t.playAround, { text: named })}
          onClick={() => playAround(span[0], span[1])}
        >
          <Icon of={icons.play} />
        </button>
        <button class="btn s" type="button" aria-label={`${t.restore}: ${named}`} onClick={restore}>
          <Icon of={icons.undo} />
          {t.restore}
        </button>
      </div>
    </div>
  );
}

function Speakers(): JSX.Element {
  const sentences = doc.value?.sentences ?? [];
  return (
    <div class="stack-s pad-s">
      {speakers.value.map((speaker) => (
        <div key={speaker} class="field">
          <label for={`speaker-${speaker}`}>{fill(t.nameFor, { n: speaker })}</label>
          <input
            class="input"
            id={`speaker-${speaker}`}
            dir="auto"
            maxLength={200}
            value={edit.value.names[speaker] ?? ''}
            placeholder={fill(t.speaker, { n: speaker })}
            onChange={({ currentTarget }) => nameSpeaker(speaker, currentTarget.value)}
          />
          <p class="hint">{count(t.says, sentences.filter((_, at) => speakerOf(at) === speaker).length)}</p>
          {speakers.value.length > 1 && (
            <select
              class="input"
              aria-label={fill(t.mergeWith, { name: speakerName(speaker) })}
              value=""
              onChange={({ currentTarget }) => mergeSpeakers(speaker, Number(currentTarget.value))}
            >
              <option value="">{t.merge}</option>
              {speakers.value
                .filter((each) => each !== speaker)
                .map((each) => (
                  <option key={each} value={String(each)}>
                    {speakerName(each)}
                  </option>
                ))}
            </select>
          )}
        </div>
      ))}
      <p class="small soft">{t.namesHelp}</p>
    </div>
  );
}
