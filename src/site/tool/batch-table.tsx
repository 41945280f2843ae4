// Shows the runs of several files: a row each.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { ownAddress } from '../account/requests.ts';
import * as icons from '../icons.ts';
import { fill, Icon, shownBytes } from '../ui.tsx';
import { type BatchRow, cancelRest, failedRows, isBusy, overCount, rows, tryRows } from './batch.ts';
import { data, t } from './items.ts';
import { saidOf } from './said.ts';
import { again, stageTitle } from './state.ts';

export function BatchTable(): JSX.Element {
  const busy = isBusy();
  useEffect(() => {
    if (!busy) return undefined;
    const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', stay);
    return () => removeEventListener('beforeunload', stay);
  }, [busy]);
  const all = rows.value.length;
  const over = overCount();
  return (
    <div class="panel" aria-busy={busy}>
      <div class="panel-head">
        <h2 class="label" tabIndex={-1} data-focus="">
          {fill(t.manyTitle, { title: data.title, n: all })}
        </h2>
        {busy && (
          <button class="btn s push" type="button" onClick={cancelRest}>
            <Icon of={icons.stop} />
            {t.cancelRest}
          </button>
        )}
      </div>
      <div class="pad prog">
        <div class="line">
          <p role="status">
            <b>{fill(t.manyDone, { done: over, n: all })}</b>
          </p>
        </div>
        <progress max={all} value={over} aria-label={t.manyAll} />
        {busy && <p class="small soft">{t.manyStay}</p>}
      </div>
      <table class="table fold batch">
        <thead>
          <tr>
            <th scope="col">{t.file}</th>
            <th scope="col">{t.state}</th>
            <th scope="col">
              <span class="sr">{t.download}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.value.map((row) => (
            <Row key={row.item.key} row={row} />
          ))}
        </tbody>
      </table>
      {!busy && (
        <div class="panel-foot">
          {failedRows().length > 1 && (
            <button class="btn go l" type="button" onClick={() => void tryRows(failedRows())}>
              {fill(t.tryAll, { n: failedRows().length })}
            </button>
          )}
          <button class="btn l" type="button" onClick={again}>
            {t.again}
          </button>
        </div>
      )}
    </div>
  );
}

/** Where the file, or the rest of it, can be paid for. */
function finishUrlOf(state: BatchRow['state']): string | null {
  if (state.name === 'limited') return state.finishUrl;
  return state.name === 'done' && state.run.nextStep !== undefined ? (state.run.finishUrl ?? null) : null;
}

function Row({ row }: { readonly row: BatchRow }): JSX.Element {
  const { item, state } = row;
  const finishUrl = finishUrlOf(state);
  return (
    <tr>
      <th scope="row" class="fn">
        {item.name}
      </th>
      <td>
        <State name={item.name} state={state} />
      </td>
      <td class="r act">
        {state.name === 'done' &&
          state.run.outputs.map((output) => (
            <a key={output.id} class="btn s" href={ownAddress(output.url)} download={output.filename}>
              <Icon of={icons.down} />
              <span class="sr">{fill(t.downloadOf, { name: output.filename })}, </span>
              {output.filename.split('.').at(-1)?.toUpperCase()}{' '}
              {output.sizeBytes !== null && <span class="num">{shownBytes(output.sizeBytes, data.language)}</span>}
            </a>
          ))}
        {state.name === 'failed' && state.mayPass && (
          <button class="btn s" type="button" onClick={() => void tryRows([row])}>
            {t.tryAgain}
            <span class="sr"> {item.name}</span>
          </button>
        )}
        {finishUrl !== null && (
          <a class="btn s" href={finishUrl}>
            {t.theRest}
          </a>
        )}
      </td>
    </tr>
  );
}

function State({ name, state }: { readonly name: string; readonly state: BatchRow['state'] }): JSX.Element {
  if (state.name === 'waiting') return <span class="tag off">{t.manyWaits}</span>;
  if (state.name === 'sending')
    return <Bar name={name} title={state.share === null ? t.unstable : t.sending} share={state.share ?? 0} />;
  if (state.name === 'running') return <Bar name={name} title={stageTitle(state.run)} share={state.run.progress} />;
  if (state.name === 'cancelled') return <span class="tag off">{t.manyCancelled}</span>;
  if (state.name === 'failed') return <Refused kind="fault" title={t.failedTitle} message={state.message} />;
  if (state.name === 'limited') return <Refused kind="off" title={state.title} message={state.message} />;
  if (state.name === 'unsent') return <Refused kind="off" title={t.manyUnsent} message={t.manyUnsentHelp} />;
  return (
    <>
      <span class="tag">
        <Icon of={icons.check} />
        {t.done}
      </span>
      {saidOf(state.run).map((text) => (
        <p key={text} class="small soft">
          {text}
        </p>
      ))}
    </>
  );
}

interface RefusedProps {
  readonly kind: 'fault' | 'off';
  readonly title: string;
  readonly message: string;
}

function Refused({ kind, title, message }: RefusedProps): JSX.Element {
  return (
    <>
      <span class={`tag ${kind}`}>
        <Icon of={icons.warn} />
        {title}
      </span>
      <p class="small soft">{message}</p>
    </>
  );
}

interface BarProps {
  readonly name: string;
  readonly title: string;
  readonly share: number;
}

function Bar({ name, title, share }: BarProps): JSX.Element {
  const percent = Math.floor(share * 100);
  return (
    <div class="bar">
      <span>
        {title} <span class="num">{percent} %</span>
      </span>
      <progress max={100} value={percent} aria-label={name} />
    </div>
  );
}
