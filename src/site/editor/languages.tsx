// Another language beside the words: what is said there at the same time, for each sentence.
import { computed, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { joinWords } from '../../library/contract/join-words.ts';
import { directionOf } from '../direction.ts';
import type { EditorData } from '../editor-data.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import type { GivenTranscript } from './doc.ts';
import { data, t } from './page-data.ts';
import { work } from './running.ts';
import { Failure } from './source.ts';
import { doc, isWordCut, source } from './state.ts';

type Translation = NonNullable<EditorData['file']>['translations'][number];

const translations = computed(() =>
  (data.file?.translations ?? []).filter(({ language }) => language !== doc.value?.language),
);
/** Beside the words; null: none. */
const beside = signal<(Translation & { readonly given: GivenTranscript }) | null>(null);
/** On a small screen one of both is seen. */
const flipped = signal(false);

/** Of what surrounds the words. */
export const languageClass = computed(() => (beside.value === null ? '' : flipped.value ? 'ed-two ed-flip' : 'ed-two'));

/** By number of a sentence: what is said there in the other language. */
const besideRows = computed((): ReadonlyMap<number, string> => {
  const [own, other] = [doc.value, beside.value];
  const rows = new Map<number, string>();
  if (own === null || other === null) return rows;
  let row = 0;
  for (const { words = [] } of other.given.sentences) {
    const [first, last] = [words[0], words.at(-1)];
    if (first === undefined || last === undefined) continue;
    const middle = (first.startSeconds + last.endSeconds) / 2;
    while (row + 1 < own.sentences.length && (own.sentences[row + 1]?.startSeconds ?? 0) <= middle) row += 1;
    const before = rows.get(row);
    const text = joinWords(words, other.language);
    rows.set(row, before === undefined ? text : `${before} ${text}`);
  }
  return rows;
});

const nameOf = (language: string): string =>
  new Intl.DisplayNames([data.language], { type: 'language' }).of(language) ?? language;

async function show(id: string): Promise<void> {
  const found = translations.value.find((each) => each.transcriptFileId === id);
  if (found === undefined) return void (beside.value = null);
  try {
    const given = await source.value?.otherWords?.(id);
    if (given !== undefined) beside.value = { ...found, given };
  } catch (thrown) {
    const failure = thrown instanceof Failure ? thrown : new Failure('failed', (thrown as Error).message);
    work.value = { name: 'failed', failure };
  }
}

/** Which language is beside the words, and on a small screen which of both is seen. */
export function Languages(): JSX.Element | null {
  const own = doc.value;
  if (own === null || translations.value.length === 0) return null;
  const other = beside.value;
  return (
    <div class="ed-langs row">
      <label class="ed-who small">
        <span>{t.besideIt}</span>
        <select
          class="ed-select"
          value={other?.transcriptFileId ?? ''}
          onChange={({ currentTarget }) => void show(currentTarget.value)}
        >
          <option value="">{t.noOther}</option>
          {translations.value.map(({ transcriptFileId, language }) => (
            <option key={transcriptFileId} value={transcriptFileId}>
              {nameOf(language)}
            </option>
          ))}
        </select>
        <Icon of={icons.chev} />
      </label>
      {other !== null && (
        <fieldset class="ed-switch">
          <legend class="sr">{t.shownLanguage}</legend>
          <div class="seg">
            {[own.language, other.language].map((language, at) => (
              <label key={language}>
                <input
                  type="radio"
                  name="ed-language"
                  checked={flipped.value === (at === 1)}
                  onChange={() => void (flipped.value = at === 1)}
                />
                {nameOf(language)}
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </div>
  );
}

/** What is said in the other language while this sentence is. */
export function BesideRow({ index }: { readonly index: number }): JSX.Element | null {
  const other = beside.value;
  if (other === null) return null;
  const text = besideRows.value.get(index) ?? '';
  const sentence = doc.value?.sentences[index];
  const isCut =
    sentence !== undefined &&
    Array.from({ length: sentence.to - sentence.from }, (_, at) => sentence.from + at).every((word) => isWordCut(word));
  const Tag = isCut ? 'del' : 'span';
  return (
    <p
      class="ed-other"
      lang={other.language}
      dir={directionOf([text])}
      aria-label={fill(t.inLanguage, { language: nameOf(other.language) })}
    >
      {text !== '' && <Tag class={isCut ? 'w-cut' : undefined}>{text}</Tag>}
    </p>
  );
}
