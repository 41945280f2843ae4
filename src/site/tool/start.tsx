// The price of what was chosen, and the buttons that start it, for people who are signed in.
import type { JSX } from 'preact';
import type { OwnBench } from '../bench-data.ts';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { here } from './here.ts';
import { data, items, spokenCredits, t } from './items.ts';
import { askPrice, isPrice, leftOut, price, type Price, type Wish } from './own.ts';
import { said } from './said.ts';

/** It costs nothing. */
const free = (
  <button class="btn go l" type="submit">
    {data.title}
  </button>
);

export function Start({ own }: { readonly own: OwnBench }): JSX.Element {
  if (here.value) return free;
  const now = price.value;
  const chosen = Object.values(items.value).flat();
  if (isPrice(now)) return <Offer own={own} price={now} />;
  return (
    <>
      <button class="btn go l" type="submit" disabled>
        {data.title}
      </button>
      {now !== null ? (
        <>
          <p class="err" role="alert">
            <Icon of={icons.warn} />
            {said(now)}
          </p>
          <button class="btn s" type="button" onClick={() => void askPrice(own)}>
            {t.tryAgain}
          </button>
        </>
      ) : (
        chosen.length > 0 && <p class="small soft">{leftOut().length === chosen.length ? t.noneLeft : t.priceLater}</p>
      )}
    </>
  );
}

function Offer({
  own,
  price: { credits, seconds, available, free },
}: {
  readonly own: OwnBench;
  readonly price: Price;
}) {
  if (credits === 0) return free;
  const isEnough = credits <= available;
  const isAllFree = free.seconds >= seconds - 0.5;
  const wishes: readonly Wish[] = [
    ...(isEnough ? (['whole'] as const) : []),
    ...(free.usesLeftToday > 0 ? (['free'] as const) : []),
  ];
  const several = Object.values(items.value).flat().length > 1;
  // Where all of it is free, that is offered first.
  const shown: readonly Wish[] = [
    ...(isAllFree ? wishes.toReversed() : wishes),
    ...(own.hasPreview && !several ? (['preview'] as const) : []),
  ];
  return (
    <>
      {shown.map((wish, at) => (
        <button key={wish} class={`btn l ${at === 0 ? 'go' : ''}`} type="submit" value={wish}>
          {wish === 'whole'
            ? fill(t.startFor, { title: data.title, price: spokenCredits(credits) })
            : wish === 'preview'
              ? t.startPreview
              : isAllFree
                ? fill(t.startAllFree, { title: data.title })
                : fill(several ? t.startFreeEach : t.startFree, {
                    length: data.freeLength ?? formatTime(free.seconds, 0),
                  })}
        </button>
      ))}
      <p class="small soft">
        {fill(t.youHave, {
          length: formatTime(seconds, 0),
          price: spokenCredits(credits),
          have: spokenCredits(available),
        })}
      </p>
      {leftOut().length > 0 && (
        <p class="err" role="status">
          <Icon of={icons.warn} />
          {fill(t.without, {
            names: leftOut()
              .map(({ name }) => name)
              .join(', '),
          })}
        </p>
      )}
      {!isEnough && (
        <p class="row" role="status">
          <span class="err">
            <Icon of={icons.warn} />
            {fill(t.tooFew, { price: spokenCredits(credits), have: spokenCredits(available) })}
          </span>
          <a class="btn s" href={own.credits} target="_blank" rel="noopener">
            {t.buy}
          </a>
        </p>
      )}
    </>
  );
}
