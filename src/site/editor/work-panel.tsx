// What runs for the editor, what went wrong, and what was made.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon, Note, shownBytes } from '../ui.tsx';
import { data, t } from './page-data.ts';
import { type Work, work } from './running.ts';

const close = (): void => void (work.value = { name: 'none' });

export function WorkPanel(): JSX.Element | null {
  const now = work.value;
  const panel = useRef<HTMLDivElement>(null);
  const isRunning = now.name === 'running';
  // Somebody has started it: what they pressed may be gone.
  useLayoutEffect(() => {
    if (isRunning) panel.current?.focus();
  }, [isRunning]);
  if (now.name === 'none') return null;
  return (
    <div
      class={`ed-work ${isRunning ? 'prog' : ''}`}
      ref={panel}
      role={now.name === 'failed' ? undefined : 'status'}
      tabIndex={-1}
      data-focus=""
    >
      {now.name === 'running' ? (
        <Progress now={now} />
      ) : now.name === 'failed' ? (
        <Fault now={now} />
      ) : (
        <Made now={now} />
      )}
    </div>
  );
}

interface Shown<Name extends Work['name']> {
  readonly now: Extract<Work, { readonly name: Name }>;
}

function Progress({ now: { title, state, stop } }: Shown<'running'>): JSX.Element {
  const percent = Math.floor(state.share * 100);
  return (
    <>
      <p>
        <b>{title}</b> <span class="num soft">{percent} %</span>
      </p>
      <progress max={100} value={percent} aria-label={title} />
      <button class="btn s" type="button" onClick={stop}>
        <Icon of={icons.stop} />
        {t.stop}
      </button>
    </>
  );
}

function Fault({ now: { failure } }: Shown<'failed'>): JSX.Element {
  const { message, help, link, code } = failure;
  return (
    <Note kind="fault" title={t.cannot}>
      <p>{message}</p>
      {help !== null && <p>{help}</p>}
      <div class="row">
        {link !== null && (
          <a class="btn s" href={link.url}>
            {link.name}
          </a>
        )}
        <button class="btn s" type="button" onClick={close}>
          {t.again}
        </button>
        <code class="soft small">{code}</code>
      </div>
    </Note>
  );
}

function Made({ now: { rendered } }: Shown<'rendered'>): JSX.Element {
  const { url, filename, bytes, onlySeconds, finishUrl } = rendered;
  return (
    <>
      <p class="row">
        <span class="tag">
          <Icon of={icons.check} />
          {t.rendered}
        </span>
        <b class="break">{filename}</b>
        {onlySeconds !== null && (
          <span class="small">
            {fill(t.renderPart, { length: data.tools.cut.freeLength ?? formatTime(onlySeconds) })}
          </span>
        )}
      </p>
      <div class="row">
        <a class="btn go" href={url} download={filename}>
          <Icon of={icons.down} />
          {t.download} {bytes !== null && <span class="num">{shownBytes(bytes, data.language)}</span>}
        </a>
        {finishUrl !== null && (
          <a class="btn" href={finishUrl}>
            {t.whole}
          </a>
        )}
        <button class="btn" type="button" onClick={close}>
          {t.again}
        </button>
      </div>
    </>
  );
}
