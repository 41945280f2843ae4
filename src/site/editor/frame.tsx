// What surrounds the text: the bar above, the foot below, and what is said over them.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { exportList, exportText, textExports } from './exports.ts';
import { Dialog } from './dialog.tsx';
import { countsPictures, exportTimeline, takeTimeline, timelineExports } from './timelines.ts';
import { labelText } from './labels.ts';
import { count, credits, data, t } from './page-data.ts';
import { align, render, transcribe, work } from './running.ts';
import { saveState, savedAt } from './saving.ts';
import { finding } from './finding.ts';
import {
  doc,
  edit,
  editedSeconds,
  history,
  kept,
  redoStep,
  removed,
  showsKeys,
  showsShares,
  showsVersions,
  source,
  totalSeconds,
  undoStep,
} from './state.ts';

/** The sign, as the server has drawn it. */
const sign = document.querySelector('#editor .brand')?.innerHTML ?? '';

/** Where and whether the edit is kept. */
function keptWhere(): string {
  const own = source.value;
  if (own === null) return '';
  if (saveState.value === 'ended') return t.ended;
  if (saveState.value === 'lost') return t.unsaved;
  if (!own.isKept) return t.onDevice;
  if (saveState.value === 'saving') return t.saving;
  if (savedAt.value === null) return '';
  const time = savedAt.value.toLocaleTimeString(data.language, { hour: '2-digit', minute: '2-digit' });
  return fill(t.saved, { time });
}

export function Bar(): JSX.Element {
  const own = source.value;
  const { done, undone } = history.value;
  const facts = [
    keptWhere(),
    own === null ? '' : fill(t.facts, { rate: own.sampleRate / 1000, channels: count(t.channels, own.channels) }),
    doc.value === null ? '' : count(t.words, doc.value.words.length),
  ].filter((fact) => fact !== '');
  return (
    <div class="ed-bar">
      <a
        class="brand"
        href={data.addresses.editor.replace(/edit$/, '')}
        aria-label="Earshot"
        dangerouslySetInnerHTML={{ __html: sign }}
      />
      <span class="sep" />
      <div class="ed-name">
        <h2 class="label break fn">{own?.name ?? t.title}</h2>
        <p class={`xs ${saveState.value === 'ended' || saveState.value === 'lost' ? 'err' : 'soft'}`} role="status">
          {facts.join(' · ')}{' '}
          {saveState.value === 'ended' && (
            <a href={`${data.addresses.signIn}?next=${encodeURIComponent(location.pathname)}`}>{t.signIn}</a>
          )}
        </p>
      </div>
      {own !== null && (
        <div class="row push">
          <button
            class="btn s only"
            type="button"
            disabled={done === null}
            aria-label={done === null ? t.undo : fill(t.undoStep, { step: labelText(done.label) })}
            aria-keyshortcuts="Control+Z"
            onClick={undoStep}
          >
            <Icon of={icons.undo} />
          </button>
          <button
            class="btn s only"
            type="button"
            disabled={undone === null}
            aria-label={undone === null ? t.redo : fill(t.redoStep, { step: labelText(undone.label) })}
            aria-keyshortcuts="Control+Shift+Z"
            onClick={redoStep}
          >
            <Icon of={icons.redo} />
          </button>
          <span class="sep" />
          <button class="btn s" type="button" aria-keyshortcuts="Control+F" onClick={() => void (finding.value ??= '')}>
            <Icon of={icons.search} />
            <span class="ed-wide">{t.find}</span>
          </button>
          <button
            class="btn s only ed-versions"
            type="button"
            aria-label={t.versions}
            onClick={() => void (showsVersions.value = true)}
          >
            <Icon of={icons.clock} />
          </button>
          <button
            class="btn s only ed-map"
            type="button"
            aria-label={t.keyboard}
            onClick={() => void (showsKeys.value = true)}
          >
            <Icon of={icons.kb} />
          </button>
          <Exports />
        </div>
      )}
    </div>
  );
}

function Exports(): JSX.Element {
  const asks = useSignal(false);
  return (
    <>
      <button class="btn s" type="button" popovertarget="ed-export">
        <Icon of={icons.down} />
        <span class="ed-wide">{t.export}</span>
        <Icon of={icons.chev} />
      </button>
      <div class="menu" id="ed-export" popover="auto">
        <p class="menu-h">{t.asEdited}</p>
        {textExports.map(([format, name]) => (
          <button key={format} type="button" disabled={doc.value === null} onClick={() => void exportText(format)}>
            {name} <span class="num soft">{format.toUpperCase()}</span>
          </button>
        ))}
        {source.value?.shares !== undefined && (
          <button
            type="button"
            popovertarget="ed-export"
            popovertargetaction="hide"
            disabled={doc.value === null}
            onClick={() => void (showsShares.value = true)}
          >
            {t.share}
          </button>
        )}
        <p class="menu-h">{t.timelines}</p>
        {timelineExports.map(([format, opener, ending, isTime = false]) => (
          <button
            key={format}
            type="button"
            disabled={!isTime && !countsPictures()}
            onClick={() => void exportTimeline(format)}
          >
            {opener} <span class="num soft">{ending}</span>
          </button>
        ))}
        {source.value?.readTimeline !== undefined && <TimelineInput />}
        <hr />
        <button type="button" onClick={exportList}>
          {t.editList} <span class="num soft">JSON</span>
        </button>
        {data.tools.align.unavailable === null && (
          <button
            type="button"
            popovertarget="ed-export"
            popovertargetaction="hide"
            onClick={() => void (asks.value = true)}
          >
            {t.script}
          </button>
        )}
      </div>
      {asks.value && <ScriptDialog close={() => void (asks.value = false)} />}
    </>
  );
}

/** Takes what an editing program made of it. */
function TimelineInput(): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {t.takeTimeline} <span class="num soft">OTIO, FCPXML, EDL</span>
      </button>
      <input
        ref={input}
        class="sr"
        type="file"
        accept=".otio,.fcpxml,.xml,.edl"
        tabIndex={-1}
        aria-label={t.takeTimeline}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = '';
          if (file === undefined) return;
          document.querySelector<HTMLElement>('#ed-export')?.hidePopover();
          void takeTimeline(file);
        }}
      />
    </>
  );
}

function ScriptDialog({ close }: { close(): void }): JSX.Element {
  const text = useSignal('');
  const { price } = data.tools.align;
  return (
    <Dialog title={t.scriptTitle} close={close}>
      <>
        <p class="small soft">{t.scriptHelp}</p>
        <label for="ed-script">{t.scriptText}</label>
        <textarea
          id="ed-script"
          class="input"
          dir="auto"
          rows={8}
          value={text.value}
          onInput={({ currentTarget }) => void (text.value = currentTarget.value)}
        />
        <button
          class="btn go"
          type="button"
          disabled={text.value.trim() === ''}
          onClick={() => {
            close();
            void align(text.value);
          }}
        >
          {price === null ? t.align : fill(t.alignFor, { price: credits(price) })}
        </button>
      </>
    </Dialog>
  );
}

const keyNames = [
  ['play', ['Space']],
  ['speed', ['J', 'K', 'L']],
  ['word', ['←', '→']],
  ['select', ['⇧ ←', '⇧ →']],
  ['far', ['PgUp', 'PgDn']],
  ['fine', [',', '.']],
  ['cut', ['Delete']],
  ['restore', ['R']],
  ['correct', ['E']],
  ['move', ['Alt ↑', 'Alt ↓']],
  ['speaker', ['S', '1–8']],
  ['suggestion', ['[', ']']],
  ['decide', ['A', 'X']],
  ['zoom', ['+', '−']],
  ['find', ['Ctrl F']],
  ['undo', ['Ctrl Z', 'Ctrl ⇧ Z']],
  ['map', ['?']],
] as const;

export function KeyMap(): JSX.Element | null {
  if (!showsKeys.value) return null;
  return (
    <Dialog title={t.keyboard} close={() => void (showsKeys.value = false)}>
      <dl class="ed-keys">
        {keyNames.map(([name, keys]) => (
          <div key={name}>
            <dt>{t.keys[name]}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** Before there are words. */
export function NoText(): JSX.Element | null {
  const own = source.value;
  if (own === null || doc.value !== null || work.value.name === 'running') return null;
  const { price, unavailable, freeLength } = data.tools.transcribe;
  return (
    <div class="ed-empty stack">
      <h2 class="h3">{t.noText}</h2>
      <p class="soft">{unavailable ?? t.noTextHelp}</p>
      {unavailable === null && (
        <p>
          <button class="btn go l" type="button" onClick={() => void transcribe()}>
            {own.isKept
              ? price === null
                ? t.transcribe
                : fill(t.transcribeFor, { price: credits(price) })
              : freeLength === null
                ? t.transcribe
                : fill(t.transcribeFree, { length: freeLength })}
          </button>
        </p>
      )}
    </div>
  );
}

export function Foot(): JSX.Element | null {
  const own = source.value;
  if (own === null) return null;
  const { done } = history.value;
  const { price, freeLength, freeSeconds, unavailable } = data.tools.cut;
  const mended = Object.keys(edit.value.texts).length;
  const moved = Object.keys(edit.value.moves).length;
  const overlapped = kept.value.overlapped.length;
  const lacks = own.isKept && price !== null && (data.available ?? 0) < price;
  const isShort = freeSeconds === null || totalSeconds.value <= freeSeconds;
  const name =
    own.isKept && !lacks
      ? price === null
        ? t.render
        : fill(t.renderFor, { price: credits(price) })
      : freeLength === null || isShort
        ? t.render
        : fill(t.renderFree, { length: freeLength });
  return (
    <div class="ed-foot">
      <p class="row ed-last" data-focus="#ed-text">
        {done !== null && (
          <>
            <span class="break">{labelText(done.label)}</span>{' '}
            <button class="btn s quiet" type="button" onClick={undoStep}>
              <Icon of={icons.undo} />
              {t.undo}
            </button>
          </>
        )}
      </p>
      <dl class="push">
        <div>
          <dt>{t.length}</dt>
          <dd class="num">{formatTime(totalSeconds.value)}</dd>
        </div>
        <div>
          <dt>{t.newLength}</dt>
          <dd class="num">{formatTime(editedSeconds.value)}</dd>
        </div>
        <div>
          <dt>{t.cuts}</dt>
          <dd class="num">{removed.value.length}</dd>
        </div>
        {moved > 0 && (
          <div>
            <dt>{t.movedCount}</dt>
            <dd class="num">{moved}</dd>
          </div>
        )}
        {mended > 0 && (
          <div>
            <dt>{t.mended}</dt>
            <dd class="num">{mended}</dd>
          </div>
        )}
      </dl>
      {overlapped > 0 && <p class="small soft">{count(t.overlapped, overlapped)}</p>}
      {unavailable === null && (
        <button
          class="btn go"
          type="button"
          aria-disabled={work.value.name === 'running'}
          onClick={() => {
            if (work.value.name !== 'running') void render(lacks);
          }}
        >
          {name}
        </button>
      )}
    </div>
  );
}
