// What was written down; on the transcript of an episode chapters are set: a press at a sentence begins one there.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { keepNote, notesOf } from '../account/notes.ts';
import type { Written } from '../islands/analyse.ts';
import type { RecipeTexts } from '../recipe-data.ts';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { asJson, asNotes, asVtt, type Chapter } from './chapter-files.ts';

/** With more sentences the page is slow; the downloaded file has all of them. */
const mostSentences = 1500;
const mostTitle = 60;

interface Props {
  readonly written: Written;
  /** Of its files: "episode". */
  readonly stem: string;
  readonly endSeconds: number;
  /** null: there is no sound to have chapters. */
  readonly kept: KeptChapters | null;
  readonly texts: RecipeTexts;
  /** "Speaker {n}". */
  readonly speakerText: string;
}

/** As in show notes. */
const clock = (seconds: number): string => formatTime(Math.floor(seconds), 0);

/** Chapters that the account keeps. */
export interface KeptChapters {
  readonly list: readonly Chapter[];
  save(list: readonly Chapter[]): void;
}

/** Those of a chain. @param site prefix of the site's addresses */
export async function keptChapters(site: string, chain: string): Promise<KeptChapters> {
  const found = await notesOf<{ readonly chapters: readonly Chapter[] }>(site, 'chapters').catch(() => []);
  // One after the other: the last state is the one that stays.
  let saving: Promise<unknown> = Promise.resolve();
  return {
    list: found.find(({ name }) => name === chain)?.value.chapters ?? [],
    save(chapters) {
      // Without a connection they stay as long as the page is open.
      saving = saving.then(() => keepNote(site, 'chapters', chain, { chapters })).catch(() => undefined);
    },
  };
}

/** The first words of a sentence, as a title to begin with. */
function titleOf(text: string): string {
  if (text.length <= mostTitle) return text;
  const cut = text.slice(0, mostTitle);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 20))}…`;
}

function save(text: string, type: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function Chapters({ written, stem, endSeconds, kept, texts, speakerText }: Props): JSX.Element {
  const chapters = useSignal(kept?.list ?? []);
  const list = chapters.value;
  const put = (next: readonly Chapter[]): void => {
    chapters.value = next.toSorted((a, b) => a.startSeconds - b.startSeconds);
    kept?.save(chapters.value);
  };
  const toggle = (startSeconds: number, text: string): void =>
    put(
      list.some((one) => one.startSeconds === startSeconds)
        ? list.filter((one) => one.startSeconds !== startSeconds)
        : [...list, { startSeconds, title: titleOf(text) }],
    );
  return (
    <>
      <div class="panel-head">
        <h2 class="label" id="chapters-title">
          {kept === null ? texts.transcriptOf : texts.chapters}
        </h2>
        {list.length > 0 && <Files list={list} stem={stem} endSeconds={endSeconds} texts={texts} />}
      </div>
      {kept === null ? null : list.length === 0 ? (
        <p class="pad small soft">{texts.chaptersHelp}</p>
      ) : (
        <ul class="pad stack-s">
          {list.map((chapter) => (
            <Title key={chapter.startSeconds} chapter={chapter} list={list} put={put} texts={texts} />
          ))}
        </ul>
      )}
      <Sentences
        written={written}
        list={list}
        toggle={kept === null ? null : toggle}
        texts={texts}
        speakerText={speakerText}
      />
    </>
  );
}

type FilesProps = Pick<Props, 'stem' | 'endSeconds' | 'texts'> & { readonly list: readonly Chapter[] };

function Files({ list, stem, endSeconds, texts }: FilesProps): JSX.Element {
  const files = [
    [texts.asNotes, 'txt', 'text/plain', () => asNotes(list)],
    ['JSON', 'json', 'application/json', () => asJson(list)],
    ['VTT', 'vtt', 'text/vtt', () => asVtt(list, endSeconds)],
  ] as const;
  return (
    <p class="row push">
      {files.map(([name, extension, type, text]) => (
        <button
          key={extension}
          class="btn s"
          type="button"
          onClick={() => save(text(), type, `${stem}.chapters.${extension}`)}
        >
          {name}
        </button>
      ))}
    </p>
  );
}

interface TitleProps extends Pick<Props, 'texts'> {
  readonly chapter: Chapter;
  readonly list: readonly Chapter[];
  readonly put: (next: readonly Chapter[]) => void;
}

function Title({ chapter, list, put, texts }: TitleProps): JSX.Element {
  const time = clock(chapter.startSeconds);
  return (
    <li class="row row-one">
      <span class="num">{time}</span>
      <input
        class="input s grow"
        aria-label={fill(texts.chapterAt, { time })}
        value={chapter.title}
        maxLength={200}
        onChange={({ currentTarget: { value } }) =>
          put(list.map((one) => (one === chapter ? { ...one, title: value } : one)))
        }
      />
      <button
        class="btn only s quiet"
        type="button"
        aria-label={fill(texts.noChapter, { time })}
        onClick={() => put(list.filter((one) => one !== chapter))}
      >
        <Icon of={icons.x} />
      </button>
    </li>
  );
}

interface SentencesProps extends Pick<Props, 'written' | 'texts' | 'speakerText'> {
  readonly list: readonly Chapter[];
  /** null: sentences are only read. */
  readonly toggle: ((startSeconds: number, text: string) => void) | null;
}

function Sentences({ written, list, toggle, texts, speakerText }: SentencesProps): JSX.Element {
  const shown = written.sentences.slice(0, mostSentences);
  return (
    <div class="pad written" dir={written.direction}>
      {shown.map(({ startSeconds, speaker, text }, at) => (
        <div key={at} class="sent">
          {speaker !== null && speaker !== shown[at - 1]?.speaker && (
            <p class="who">{fill(speakerText, { n: speaker })}</p>
          )}
          {toggle === null ? (
            <span class="num at">{clock(startSeconds)}</span>
          ) : (
            <button
              class="link at"
              type="button"
              aria-pressed={list.some((one) => one.startSeconds === startSeconds)}
              aria-label={fill(texts.beginChapter, { time: clock(startSeconds) })}
              onClick={() => toggle(startSeconds, text)}
            >
              {clock(startSeconds)}
            </button>
          )}
          <p lang={written.language} dir={written.direction === 'rtl' ? 'rtl' : 'auto'}>
            {text}
          </p>
        </div>
      ))}
    </div>
  );
}
