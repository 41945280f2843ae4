// Price and start of a recipe's page; settings with a name.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { problemOf } from '../account/requests.ts';
import { helpIn, saidIn } from '../account/said.ts';
import { handOver } from '../handing-over.ts';
import * as icons from '../icons.ts';
import { fill, Icon, Note, plural } from '../ui.tsx';
import { areReady, available, isPrice, isStarting, price, putSettings, refusal, settings, wrong } from './order.ts';
import { type Preset, shelf } from './presets.ts';
import { keepForSignIn } from './sign-in.ts';
import { data, isArriving, isOwn, texts, tracks } from './tracks.ts';

const priceLater = data.recipe === null ? texts.priceLaterOwn : texts.priceLater;

const spokenCredits = (n: number): string => plural(data.language, data.units.credits, n);

export function Foot(): JSX.Element {
  const known = price.value;
  const problem = refusal.value ?? (known !== null && !isPrice(known) ? known : null);
  const hasVoice = !data.hasRoles || tracks.value.length < 2 || tracks.value.some(({ role }) => role === 'voice');
  const has = available.value;
  const isEnough = !isPrice(known) || has === null || known.credits <= has;
  return (
    <>
      {wrong.value !== '' && <Wrong text={wrong.value} />}
      {!hasVoice && <Wrong text={texts.noVoice} />}
      {hasVoice && problem !== null && (
        <Wrong text={[saidIn(data.errors, problem), helpIn(data.errors, problem)].filter(Boolean).join(' ')} />
      )}
      {isOwn ? (
        <button
          class="btn go l"
          type="submit"
          disabled={!isPrice(known) || !hasVoice || !areReady() || !isEnough || isStarting.value}
        >
          {isPrice(known)
            ? fill(texts.startFor, { action: data.action, price: spokenCredits(known.credits) })
            : data.action}
        </button>
      ) : (
        <SignIn />
      )}
      <p class="small soft wide" role="status">
        {!isPrice(known)
          ? priceLater
          : isOwn && isArriving()
            ? `${texts.arriving}. ${fill(texts.atMost, { price: spokenCredits(known.credits) })}`
            : fill(texts.atMost, { price: spokenCredits(known.credits) })}
        {has !== null && ` ${fill(texts.youHave, { have: spokenCredits(has) })}`}
      </p>
      {isPrice(known) && has !== null && !isEnough && (
        <p class="row" role="status">
          <span class="err">
            <Icon of={icons.warn} />
            {fill(texts.tooFew, { price: spokenCredits(known.credits), have: spokenCredits(has) })}
          </span>
          <a class="btn s" href={data.addresses.credits} target="_blank" rel="noopener">
            {data.t.buy}
          </a>
        </p>
      )}
    </>
  );
}

const Wrong = ({ text }: { readonly text: string }): JSX.Element => (
  <p class="err wide" role="alert">
    <Icon of={icons.warn} />
    {text}
  </p>
);

/** Of a visitor: the files wait in the browser. */
function SignIn(): JSX.Element {
  const isLost = useSignal(false);
  const go = async (): Promise<void> => {
    const files = tracks.value.flatMap(({ file }) => file ?? []);
    const kept = files.length === 0 || (await handOver(files, { page: data.addresses.page }));
    keepForSignIn({ roles: tracks.value.map(({ role }) => role), settings: settings() });
    if (kept) location.assign(data.addresses.signIn);
    else isLost.value = true;
  };
  return (
    <div class="stack-s grow">
      <Note kind="" title={texts.visitorTitle}>
        <p>{texts.visitor}</p>
      </Note>
      {isLost.value ? (
        <p class="row">
          <span class="err" role="alert">
            <Icon of={icons.warn} />
            {texts.notKept}
          </span>
          <a class="btn" href={data.addresses.signIn}>
            {texts.signIn}
          </a>
        </p>
      ) : (
        <button class="btn go l" type="button" onClick={() => void go()}>
          {texts.signInFor}
        </button>
      )}
    </div>
  );
}

/** What each step costs. */
export function Steps(): JSX.Element | null {
  const known = price.value;
  if (!isPrice(known)) return <p class="small soft">{priceLater}</p>;
  return (
    <>
      <p class="sum">
        {known.credits.toLocaleString(data.language)}{' '}
        <small>{spokenCredits(known.credits).replace(/^\S+\s/, '')}</small>
      </p>
      <dl class="facts">
        {known.steps.map(({ name, title, credits }) => (
          <>
            <dt key={name}>{title}</dt>
            <dd class="num">{credits}</dd>
          </>
        ))}
      </dl>
    </>
  );
}

/** Settings with a name. */
export function Presets(): JSX.Element {
  const list = useSignal<readonly Preset[]>([]);
  const name = useSignal('');
  const told = useSignal('');
  const act = async (change: () => Promise<string>): Promise<void> => {
    try {
      told.value = await change();
      list.value = await shelf.list();
    } catch (thrown) {
      told.value =
        thrown instanceof SyntaxError
          ? fill(texts.chainWrong, { reason: thrown.message })
          : saidIn(data.errors, problemOf(thrown));
    }
  };
  useEffect(() => void act(async () => ''), []);
  const keep = async (): Promise<string> => {
    const named = name.value.trim();
    if (named === '') return '';
    const kept = await shelf.keep({ name: named, ...settings() });
    if (kept === null) return '';
    name.value = '';
    return fill(isOwn ? texts.keptOwn : texts.keptPreset, { name: kept });
  };
  return (
    <details class="pad presets">
      <summary>{texts.presets}</summary>
      <div class="stack-s">
        {list.value.map((preset) => (
          <p class="row" key={preset.name}>
            <button class="btn s" type="button" onClick={() => putSettings(preset)}>
              {fill(texts.usePreset, { name: preset.name })}
            </button>
            <button
              class="btn s only quiet"
              type="button"
              aria-label={fill(texts.forgetPreset, { name: preset.name })}
              onClick={() =>
                void act(async () => {
                  await shelf.forget(preset.name);
                  return '';
                })
              }
            >
              <Icon of={icons.x} />
            </button>
          </p>
        ))}
        <p class="row">
          <input
            class="input s"
            aria-label={texts.presetName}
            placeholder={texts.presetName}
            maxLength={60}
            value={name.value}
            onInput={({ currentTarget }) => void (name.value = currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              void act(keep);
            }}
          />
          <button class="btn s" type="button" onClick={() => void act(keep)}>
            {texts.keepPreset}
          </button>
        </p>
        <p class="xs soft" role="status">
          {told.value}
        </p>
      </div>
    </details>
  );
}
