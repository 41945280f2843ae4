// Links by which others read the text of the edit as it is now, and what they say of it.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { transcriptNow } from './exports.ts';
import { Dialog, useAttempts } from './dialog.tsx';
import { count, data, t } from './page-data.ts';
import { seek } from './playback.ts';
import { work } from './running.ts';
import { saveNow } from './saving.ts';
import type { NewShare, ShareLink } from './source.ts';
import { editedSeconds, ranges, showsShares, source, speakerName, times } from './state.ts';

const close = (): void => void (showsShares.value = false);
const validDays = [7, 30, 90];

export function SharesDialog(): JSX.Element | null {
  return showsShares.value ? (
    <Dialog title={t.share} close={close}>
      <List />
    </Dialog>
  ) : null;
}

/** The file that sounds as the edit does; null: it was not rendered yet. */
function soundNow(): string | null {
  if (ranges.value.ranges.length === 0) return data.file?.id ?? null;
  const { value: now } = work;
  if (now.name !== 'rendered' || now.rendered.onlySeconds !== null) return null;
  const { of: made } = now.rendered;
  return made !== undefined && JSON.stringify(made.ranges) === JSON.stringify(ranges.value.ranges) ? made.fileId : null;
}

/** The text of the edit as it is now. @throws Error in words where there is none, or it cannot be saved */
async function textNow(): Promise<Omit<NewShare, 'soundFileId' | 'days'>> {
  const text = transcriptNow(false);
  if (text === null || text.sentences.length === 0) throw new Error(t.noCaptions);
  if ((await saveNow(true)) === null) throw new Error(t.unsaved);
  const isNamed = (text.speakerCount ?? 0) > 1;
  return {
    title: source.value?.name ?? t.title,
    language: text.language,
    seconds: editedSeconds.value,
    sentences: text.sentences.map(({ startSeconds, speaker, text: said }) => [
      startSeconds,
      times.value.toSource(startSeconds),
      isNamed && speaker !== null ? speakerName(speaker) : null,
      said,
    ]),
  };
}

function List(): JSX.Element | null {
  const shares = source.value?.shares;
  const list = useSignal<readonly ShareLink[]>([]);
  const told = useSignal('');
  const [attempt, fault] = useAttempts();
  const look = async (): Promise<void> => void (list.value = (await shares?.list()) ?? []);
  useEffect(() => void attempt(look), []);
  if (shares === undefined) return null;
  const after = (what: Promise<void>, text = ''): Promise<void> =>
    attempt(async () => {
      told.value = '';
      await what;
      await look();
      told.value = text;
    });
  return (
    <>
      <p class="small soft">{t.shareHelp}</p>
      <NewLink
        make={(soundFileId, days) =>
          void after(
            textNow().then((text) => shares.add({ ...text, soundFileId, days })),
            t.shareMade,
          )
        }
      />
      {fault}
      <p class="small" role="status">
        {told.value}
      </p>
      <ul class="ed-vers">
        {list.value.map((link) => (
          <Row
            key={link.id}
            link={link}
            remove={() => void after(shares.remove(link.id))}
            removeComment={(id) => void after(shares.removeComment(id))}
            copied={() => void (told.value = t.copied)}
          />
        ))}
      </ul>
    </>
  );
}

function NewLink({ make }: { make(soundFileId: string | null, days: number): void }): JSX.Element {
  const days = useSignal(30);
  const hears = useSignal(true);
  const file = soundNow();
  return (
    <>
      <form
        class="ed-add"
        onSubmit={(event) => {
          event.preventDefault();
          make(hears.value ? file : null, days.value);
        }}
      >
        <div class="field">
          <label for="ed-days">{t.shareFor}</label>
          <select
            class="input"
            id="ed-days"
            value={String(days.value)}
            onChange={({ currentTarget }) => void (days.value = Number(currentTarget.value))}
          >
            {validDays.map((each) => (
              <option key={each} value={String(each)}>
                {count(t.days, each)}
              </option>
            ))}
          </select>
        </div>
        <button class="btn ink" type="submit">
          <Icon of={icons.link} />
          {t.shareMake}
        </button>
      </form>
      {file === null ? (
        <p class="small soft">{t.shareSilent}</p>
      ) : (
        <label class="check">
          <input
            type="checkbox"
            checked={hears.value}
            onChange={({ currentTarget }) => void (hears.value = currentTarget.checked)}
          />
          {t.shareSound}
        </label>
      )}
    </>
  );
}

interface RowProps {
  readonly link: ShareLink;
  remove(): void;
  removeComment(id: string): void;
  copied(): void;
}

const date = (iso: string): string => new Date(iso).toLocaleDateString(data.language, { dateStyle: 'medium' });

function Row({ link, remove, removeComment, copied }: RowProps): JSX.Element {
  const { url, seconds, hasSound, madeAt, expiresAt, comments } = link;
  return (
    <li>
      <p class="break small">
        <a href={url} target="_blank" rel="noopener">
          {fill(t.shareOf, { date: date(madeAt) })}
        </a>{' '}
        <span class="num">{formatTime(seconds, 2)}</span>
        <br />
        <span class="soft">
          {[fill(t.shareUntil, { date: date(expiresAt) }), hasSound ? t.withSound : t.textOnly].join(' · ')}
        </span>
      </p>
      <div class="row">
        <button
          class="btn s"
          type="button"
          onClick={() => void navigator.clipboard.writeText(url).then(copied, () => prompt(t.shareMake, url))}
        >
          <Icon of={icons.copy} />
          {t.copy}
        </button>
        <button class="btn s" type="button" onClick={remove}>
          <Icon of={icons.nolink} />
          {t.takeBack}
        </button>
      </div>
      {comments.length > 0 && <Comments comments={comments} remove={removeComment} />}
    </li>
  );
}

interface CommentsProps {
  readonly comments: ShareLink['comments'];
  remove(id: string): void;
}

const Comments = ({ comments, remove }: CommentsProps): JSX.Element => (
  <ul class="ed-said" aria-label={t.comments}>
    {comments.map(({ id, name, text, about, source: at }) => (
      <li key={id}>
        <p class="break small">
          <b dir="auto">{name}</b>: <span dir="auto">{text}</span>
          <br />
          <a
            href="#ed-text"
            onClick={(event) => {
              event.preventDefault();
              close();
              seek(at);
            }}
          >
            {formatTime(at, 0)} <q dir="auto">{about}</q>
          </a>
        </p>
        <button
          class="btn s only quiet"
          type="button"
          aria-label={fill(t.deleteOf, { name: text })}
          onClick={() => remove(id)}
        >
          <Icon of={icons.trash} />
        </button>
      </li>
    ))}
  </ul>
);
