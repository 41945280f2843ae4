// Takes files: dropped, chosen, as a link, from the microphone. Buttons change the order of several.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { BenchInput, ItemField } from '../bench-data.ts';
import type { Stop } from '../islands/record.ts';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon, plural, shownBytes } from '../ui.tsx';
import {
  alternatives,
  batchItems,
  bring,
  bringLink,
  chosen,
  complaint,
  data,
  type Item,
  itemsOf,
  mostInBatch,
  put,
  shownInputs,
  takesBatches,
  t,
  told,
  wantsAccount,
} from './items.ts';
import { Arriving } from './arriving.tsx';
import { here } from './here.ts';
import { left } from './left.ts';
import { fileOf, isArriving } from './own.ts';

export function Intake(): JSX.Element {
  const either = alternatives();
  return (
    <>
      {either.length > 1 && (
        <fieldset class="field">
          <legend>{t.whichInput}</legend>
          <div class="seg">
            {either.map(({ input, title }) => (
              <label key={input}>
                <input
                  type="radio"
                  name="which"
                  checked={chosen.value === input}
                  onChange={() => void (chosen.value = input)}
                />
                {title}
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {shownInputs().map((input) => (
        <Field key={input.input} input={input} />
      ))}
      <p class="err" role="alert" hidden={complaint.value === ''}>
        <Icon of={icons.warn} />
        {complaint.value}
        {wantsAccount.value && (
          <a class="btn s" href={data.signIn}>
            {t.signIn}
          </a>
        )}
      </p>
      <p class="sr" role="status">
        {told.value}
      </p>
    </>
  );
}

function Field({ input }: { readonly input: BenchInput }): JSX.Element {
  const list = itemsOf(input);
  if (list.length === 0) return <DropZone input={input} />;
  const isBatch = batchItems().length > 0;
  if (!input.multiple && !isBatch) return <One input={input} item={list[0] as Item} />;
  return (
    <div class="panel" role="group" aria-label={input.title} tabIndex={-1} data-focus="">
      {isBatch && <BatchTerms count={list.length} />}
      <ol class="order" aria-label={input.title}>
        {list.map((item, index) => (
          <Row key={item.key} input={input} item={item} index={index} count={list.length} />
        ))}
      </ol>
      {(isBatch || list.length < input.max) && (
        <div class="panel-foot">
          <Choose input={input} small />
        </div>
      )}
    </div>
  );
}

/** What a batch is, and how much of it the day still allows a visitor. */
function BatchTerms({ count }: { readonly count: number }): JSX.Element {
  const uses = data.own === null && !here.value ? left.value : null;
  return (
    <div class="pad stack-s">
      <p class="small soft">{fill(t.manyRuns, { n: count })}</p>
      {uses !== null && uses.left < count && (
        <p class="small" role="status">
          {fill(t.manyFew, { left: plural(data.language, t.freeRuns, uses.left), all: uses.all })}
        </p>
      )}
    </div>
  );
}

const limitsOf = (input: BenchInput): string =>
  fill(data.own === null ? t.limits : takesBatches(input) ? t.ownLimitsMany : t.ownLimits, {
    size: shownBytes(data.mostBytes, data.language),
    n: mostInBatch,
    hours: data.own?.hours ?? 1,
  });

/** Browsers offer the microphone only in secure contexts: https, or this machine. */
const canRecord = 'mediaDevices' in navigator && 'MediaRecorder' in globalThis;

function DropZone({ input }: { readonly input: BenchInput }): JSX.Element {
  const over = useSignal(false);
  const wantsLink = useSignal(false);
  const stop = useSignal<Stop | null>(null);
  const heard = useSignal<readonly [seconds: number, level: number]>([0, 0]);
  const several = data.inputs.length > 1;
  const title = input.kind === 'text' ? t.dropText : input.multiple ? t.dropMany : t.drop;
  const begin = async (): Promise<void> => {
    complaint.value = '';
    try {
      const { record } = (await import(data.record)) as typeof import('../islands/record.ts');
      stop.value = await record((...now) => void (heard.value = now));
    } catch (thrown) {
      complaint.value = fill(t.noMicrophone, { reason: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  };
  const end = async (): Promise<void> => {
    const file = await stop.value?.();
    stop.value = null;
    if (file !== undefined) bring(input, [file]);
  };
  return (
    <div
      class={`drop ${several ? 'small' : ''} ${over.value ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        over.value = true;
      }}
      onDragLeave={() => void (over.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        over.value = false;
        bring(input, [...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <h2 class={several ? 'h4' : 'drop-h'}>{several ? input.title : title}</h2>
      {!several && <div class="flatline" aria-hidden="true" />}
      {stop.value !== null ? (
        <Level heard={heard.value} onStop={() => void end()} />
      ) : (
        <div class="row">
          <Choose input={input} />
          {input.linkName !== null && (
            <button
              class="btn l"
              type="button"
              aria-expanded={wantsLink.value}
              onClick={() => void (wantsLink.value = !wantsLink.value)}
            >
              <Icon of={icons.link} />
              {t.link}
            </button>
          )}
          {input.kind === 'media' && !several && canRecord && (
            <button class="btn l" type="button" onClick={() => void begin()}>
              <Icon of={icons.mic} />
              {t.record}
            </button>
          )}
        </div>
      )}
      {wantsLink.value && <LinkBox input={input} />}
      {!several && <p class="small soft">{limitsOf(input)}</p>}
    </div>
  );
}

interface LevelProps {
  readonly heard: readonly [seconds: number, level: number];
  readonly onStop: () => void;
}

function Level({ heard: [seconds, level], onStop }: LevelProps): JSX.Element {
  return (
    <div class="stack-s">
      <p role="status">
        {t.recording} <span class="num">{formatTime(seconds)}</span>
      </p>
      <meter class="level" min={0} max={1} value={level} aria-label={t.recording} />
      <button class="btn go l" type="button" onClick={onStop}>
        <Icon of={icons.stop} />
        {t.stopRecording}
      </button>
    </div>
  );
}

const accept = ({ kind, extensions }: BenchInput): string =>
  kind === 'media' ? 'audio/*,video/*' : extensions.map((extension) => `.${extension}`).join(',');

/** A button over the form's field, which handles the keyboard. */
function Choose({ input, small = false }: { readonly input: BenchInput; readonly small?: boolean }): JSX.Element {
  const id = `choose-${input.name}`;
  return (
    <>
      <input
        class="sr"
        id={id}
        type="file"
        multiple={input.multiple || takesBatches(input)}
        accept={accept(input)}
        onChange={({ currentTarget }) => {
          bring(input, [...(currentTarget.files ?? [])], small);
          currentTarget.value = '';
        }}
      />
      <label class={small ? 'btn' : 'btn go l'} for={id}>
        <Icon of={icons.file} />
        <span>{small ? t.addMore : input.multiple || takesBatches(input) ? t.choose : t.chooseOne}</span>
      </label>
    </>
  );
}

function LinkBox({ input }: { readonly input: BenchInput }): JSX.Element {
  const text = useSignal('');
  const use = (): void => {
    if (URL.canParse(text.value) && text.value.startsWith('https://')) bringLink(input, text.value);
    else complaint.value = t.linkWrong;
  };
  return (
    <div class="linkbox">
      <input
        class="input"
        type="url"
        placeholder="https://"
        aria-label={t.linkLabel}
        value={text.value}
        onInput={({ currentTarget }) => void (text.value = currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          use();
        }}
      />
      <button class="btn" type="button" onClick={use}>
        {t.addLink}
      </button>
    </div>
  );
}

/** What is known of a file: its size, or where it is. */
function Facts({ item }: { readonly item: Item }): JSX.Element {
  const { file, link } = item;
  const size = file?.size ?? fileOf(item)?.sizeBytes ?? null;
  return (
    <>
      <p class="meta">
        <span class="num break">{size === null ? link : shownBytes(size, data.language)}</span>
      </p>
      {data.own !== null && here.value === null && <Arriving own={data.own} item={item} />}
    </>
  );
}

function One({ input, item }: { readonly input: BenchInput; readonly item: Item }): JSX.Element {
  return (
    <div class="panel" role="group" aria-label={item.name} tabIndex={-1} data-focus="">
      <div class="file filerow">
        <Icon of={input.kind === 'text' ? icons.text : icons.file} />
        <div class="grow">
          <p class="name">{item.name}</p>
          <Facts item={item} />
        </div>
        <div class="act">
          {takesBatches(input) && <Choose input={input} small />}
          <button class="btn s quiet" type="button" onClick={() => put(input, [])}>
            <Icon of={icons.x} />
            <span>{isArriving() ? t.cancel : t.otherFile}</span>
          </button>
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  readonly input: BenchInput;
  readonly item: Item;
  readonly index: number;
  readonly count: number;
}

function Row({ input, item, index, count }: RowProps): JSX.Element {
  const { name } = item;
  const move = (by: number): void => {
    const rest = itemsOf(input).filter((one) => one !== item);
    put(input, [...rest.slice(0, index + by), item, ...rest.slice(index + by)]);
    told.value = `${name}: ${fill(t.place, { n: index + by + 1, all: count })}`;
  };
  return (
    <li>
      <div class="one plain">
        <div>
          <p class="name">{name}</p>
          <Facts item={item} />
        </div>
        <div class="act">
          {input.multiple && (
            <>
              <button
                class="btn s only"
                type="button"
                disabled={index === 0}
                aria-label={fill(t.moveUp, { name })}
                onClick={() => move(-1)}
              >
                <Icon of={icons.arrup} />
              </button>
              <button
                class="btn s only"
                type="button"
                disabled={index === count - 1}
                aria-label={fill(t.moveDown, { name })}
                onClick={() => move(1)}
              >
                <Icon of={icons.arrdn} />
              </button>
            </>
          )}
          <button
            class="btn s only"
            type="button"
            aria-label={fill(t.remove, { name })}
            onClick={() =>
              put(
                input,
                itemsOf(input).filter((one) => one !== item),
              )
            }
          >
            <Icon of={icons.x} />
          </button>
        </div>
        {input.settings !== null && (
          <div class="set">
            {input.settings.fields.map((field) => (
              <Setting key={field.name} input={input} item={item} field={field} />
            ))}
          </div>
        )}
      </div>
    </li>
  );
}

interface SettingProps {
  readonly input: BenchInput;
  readonly item: Item;
  readonly field: ItemField;
}

function Setting({ input, item, field }: SettingProps): JSX.Element {
  const { name, label, choices, unit, minimum, maximum } = field;
  const change = (value: string): void =>
    put(
      input,
      itemsOf(input).map((one) => (one === item ? { ...one, settings: { ...one.settings, [name]: value } } : one)),
    );
  const value = item.settings[name] ?? '';
  return (
    <label class="row">
      <span>{label}</span>
      {choices === null ? (
        <span class="with-unit">
          <input
            type="number"
            step="any"
            min={minimum ?? undefined}
            max={maximum ?? undefined}
            value={value}
            onInput={({ currentTarget }) => change(currentTarget.value)}
          />
          <span>{unit}</span>
        </span>
      ) : (
        <select class="input" value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </label>
  );
}
