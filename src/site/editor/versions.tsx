// Versions of the edit by a name, and how long all of it is kept.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { beginWith } from '../../library/speech/word-edit/history.ts';
import { nothingEdited } from '../../library/speech/word-edit/word-edit.ts';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon, shownBytes } from '../ui.tsx';
import { type Attempt, Dialog, useAttempts } from './dialog.tsx';
import { label } from './labels.ts';
import { data, seconds, t } from './page-data.ts';
import { saveNow } from './saving.ts';
import type { NamedVersion, Project } from './source.ts';
import { act, editedSeconds, history, showsVersions, source, takeTranscript, totalSeconds } from './state.ts';

const close = (): void => void (showsVersions.value = false);

export function VersionsDialog(): JSX.Element | null {
  return showsVersions.value ? (
    <Dialog title={t.versions} close={close}>
      <List />
    </Dialog>
  ) : null;
}

const date = (iso: string): string =>
  new Date(iso).toLocaleString(data.language, { dateStyle: 'medium', timeStyle: 'short' });

/** Beside the edit that is shown. */
function difference(length: number): string {
  const more = length - editedSeconds.value;
  if (Math.abs(more) < 0.005) return t.asNow;
  return fill(more < 0 ? t.shorter : t.longer, { n: seconds(Math.abs(more)) });
}

function List(): JSX.Element | null {
  const own = source.value;
  const list = useSignal<readonly NamedVersion[]>([]);
  const project = useSignal<Project | null>(null);
  const name = useSignal('');
  const [attempt, fault] = useAttempts();
  const look = async (): Promise<void> => {
    const found = await own?.versions.list();
    list.value = found?.versions ?? [];
    project.value = found?.project ?? null;
  };
  useEffect(() => void attempt(look), []);
  if (own === null) return null;
  const add = (): Promise<void> =>
    attempt(async () => {
      const saved = await saveNow();
      if (saved === null) throw new Error(t.unsaved);
      await own.versions.add(name.value.trim(), editedSeconds.value, saved);
      name.value = '';
      await look();
    });
  const bringBack = ({ id, name: title }: NamedVersion): Promise<void> =>
    attempt(async () => {
      const { edit, words } = await own.versions.get(id);
      if (words === null) act(edit, label('broughtBack', { name: title }));
      else {
        takeTranscript(words);
        history.value = beginWith(edit);
      }
      close();
    });
  return (
    <>
      <p class="small soft">{t.versionsHelp}</p>
      <form
        class="ed-add"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <div class="field">
          <label for="ed-version">{t.versionName}</label>
          <input
            class="input"
            id="ed-version"
            dir="auto"
            maxLength={100}
            required
            value={name.value}
            onInput={({ currentTarget }) => void (name.value = currentTarget.value)}
          />
        </div>
        <button class="btn ink" type="submit" disabled={name.value.trim() === ''}>
          {t.saveVersion}
        </button>
      </form>
      {fault}
      <ul class="ed-vers">
        <Row name={t.now} length={editedSeconds.value} />
        {list.value.toReversed().map((version) => (
          <Row
            key={version.id}
            name={version.name}
            length={version.seconds}
            when={version.savedAt}
            bringBack={() => void bringBack(version)}
            remove={() => void attempt(async () => (await own.versions.remove(version.id), look()))}
          />
        ))}
        <Row
          name={t.recorded}
          length={totalSeconds.value}
          bringBack={() => {
            act(nothingEdited, label('broughtBack', { name: ['recorded'] }));
            close();
          }}
        />
      </ul>
      <Kept project={project.value} removeAll={own.versions.removeAll} attempt={attempt} />
    </>
  );
}

interface RowProps {
  readonly name: string;
  readonly length: number;
  readonly when?: string;
  bringBack?(): void;
  remove?(): void;
}

function Row({ name, length, when, bringBack, remove }: RowProps): JSX.Element {
  return (
    <li>
      <p class="break">
        <b dir="auto">{name}</b> <span class="num">{formatTime(length, 2)}</span>
        <br />
        <span class="small soft">
          {bringBack !== undefined && difference(length)}
          {when !== undefined && ` · ${date(when)}`}
        </span>
      </p>
      <div class="row">
        {bringBack !== undefined && (
          <button class="btn s" type="button" aria-label={fill(t.bringBackOf, { name })} onClick={bringBack}>
            <Icon of={icons.undo} />
            {t.bringBack}
          </button>
        )}
        {remove !== undefined && (
          <button class="btn s only quiet" type="button" aria-label={fill(t.deleteOf, { name })} onClick={remove}>
            <Icon of={icons.trash} />
          </button>
        )}
      </div>
    </li>
  );
}

interface KeptProps {
  readonly project: Project | null;
  readonly removeAll: (() => Promise<void>) | null;
  readonly attempt: Attempt;
}

/** How long it is kept, how much it is, and the way to be rid of it. */
function Kept({ project, removeAll, attempt }: KeptProps): JSX.Element {
  const asks = useSignal(false);
  if (project === null || removeAll === null)
    return source.value?.isKept === false ? <p class="small soft">{t.keptHere}</p> : <></>;
  const { keptUntil, bytes, accountBytes, mostBytes, days } = project;
  const bytesOf = (n: number): string => shownBytes(n, data.language);
  return (
    <div class="stack-s">
      <p class="small soft">
        {fill(days > 0 ? t.keptUntil : t.keptUsual, { date: date(keptUntil), days })}{' '}
        {days > 0 && fill(t.keptBytes, { bytes: bytesOf(bytes), all: bytesOf(accountBytes), most: bytesOf(mostBytes) })}
      </p>
      {asks.value ? (
        <>
          <p class="small">{t.deleteProjectHelp}</p>
          <div class="row">
            <button
              class="btn s fault"
              type="button"
              onClick={() =>
                void attempt(async () => {
                  await removeAll();
                  location.assign(data.addresses.editor);
                })
              }
            >
              {t.deleteProjectYes}
            </button>
            <button class="btn s" type="button" onClick={() => void (asks.value = false)}>
              {t.cancel}
            </button>
          </div>
        </>
      ) : (
        <p>
          <button class="btn s" type="button" onClick={() => void (asks.value = true)}>
            <Icon of={icons.trash} />
            {t.deleteProject}
          </button>
        </p>
      )}
    </div>
  );
}
