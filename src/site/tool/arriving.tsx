// How a file gets to the account: its progress, and what went wrong.
import type { JSX } from 'preact';
import type { OwnBench } from '../bench-data.ts';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { data, type Item, t } from './items.ts';
import { arrivals, bringIn } from './own.ts';
import { said } from './said.ts';

interface ArrivingProps {
  readonly own: OwnBench;
  readonly item: Item;
}

export function Arriving({ own, item }: ArrivingProps): JSX.Element | null {
  const now = arrivals.value[item.key] ?? { name: 'waiting' };
  if (now.name === 'failed')
    return (
      <div class="row">
        <p class="err" role="alert">
          <Icon of={icons.warn} />
          {said(now.problem)}
        </p>
        <button class="btn s" type="button" onClick={() => bringIn(own, item)}>
          {t.tryAgain}
        </button>
        {now.problem.code === 'unauthorized' && (
          <a class="btn s" href={data.signIn} target="_blank" rel="noopener">
            {t.signIn}
          </a>
        )}
      </div>
    );
  if (now.name === 'ready') {
    const { durationSeconds } = now.file;
    return (
      <p class="meta" role="status">
        <span>{t.arrived}</span>
        {durationSeconds !== null && <span class="num">{formatTime(durationSeconds, 0)}</span>}
      </p>
    );
  }
  if (now.name !== 'sending')
    return (
      <p class="small soft" role="status">
        {now.name === 'waiting' ? t.manyWaits : now.name === 'fetching' ? t.fetching : t.checking}
      </p>
    );
  const percent = Math.floor(now.share * 100);
  return (
    <div class="prog">
      <p class="small">
        <span role="status">{now.isLost ? t.lostParts : t.sending}</span> <span class="num soft">{percent} %</span>
      </p>
      <progress max={100} value={percent} aria-label={fill(t.sendingOf, { name: item.name })} />
    </div>
  );
}
