// The captions as they will be exported: how fast they are to read, where one ends, and when each is shown.
import { computed, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { CaptionsByHand } from '../../library/speech/transcript/write/by-hand.ts';
import type { Caption } from '../../library/speech/transcript/write/caption.ts';
import { breakCaptions, shiftCaption } from '../../library/speech/word-edit/word-edit.ts';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { captionOptions, transcriptNow, written } from './exports.ts';
import { label } from './labels.ts';
import { count, seconds, t } from './page-data.ts';
import { playAround, seek } from './playback.ts';
import { act, doc, edit, nowWord, position, shownWord, source, tab, times, totalSeconds, view } from './state.ts';
import { VirtualList } from './virtual-list.tsx';

type Writer = Awaited<ReturnType<typeof written>>;

const writer = signal<Writer | null>(null);
/** The caption that could not be joined with the next one. */
const problem = signal(-1);

/** Looks for the script once. */
function useCaptions(): void {
  useEffect(() => {
    if (writer.value === null)
      void written()
        .then((found) => (writer.value = found))
        .catch(() => undefined);
  }, []);
}

/** At the times of what is rendered. */
function captionsOf({ captionsOf: made, prefixOf }: Writer, byHand: CaptionsByHand): readonly Caption[] {
  const transcript = transcriptNow(true);
  if (transcript === null) return [];
  return made(transcript, prefixOf(transcript, captionOptions(transcript)), 'standard', byHand);
}

/** As they will be exported; null: not looked for yet. */
const captions = computed((): readonly Caption[] | null =>
  writer.value === null ? null : captionsOf(writer.value, edit.value),
);

const limit = computed(() => writer.value?.captionLimits(doc.value?.language ?? 'en') ?? null);

/** Characters that a reader has a second for. */
function speedOf({ lines, startSeconds, endSeconds }: Caption): number {
  const [own, limits] = [writer.value, limit.value];
  if (own === null || limits === null) return 0;
  const cells = lines.reduce((sum, line) => sum + own.cellsOf(line, limits), lines.length - 1);
  return cells / Math.max(0.001, endSeconds - startSeconds);
}

/** A little over the limit is what rounding does. */
const isFast = (caption: Caption): boolean => speedOf(caption) > (limit.value?.cellsPerSecond ?? Infinity) + 0.5;

const numberOf = (caption: Caption | undefined): number | null =>
  (caption && writer.value?.captionNumber(caption)) ?? null;

/** The neighbours stay as they are: what people see is what they divide. */
const borders = (list: readonly Caption[], first: number, last: number): Record<number, 1> =>
  Object.fromEntries([list[first], list[last + 1]].flatMap((each) => numberOf(each) ?? []).map((word) => [word, 1]));

/** Where it is divided: at the word that is heard, or in the middle. null: it has one word. */
function placeIn({ words = [] }: Caption): number | null {
  const numbers = words.flatMap(({ number }) => number ?? []).slice(1);
  return numbers.includes(nowWord.value) ? nowWord.value : (numbers[Math.floor(numbers.length / 2)] ?? null);
}

function split(index: number): void {
  const list = captions.value ?? [];
  const place = list[index] === undefined ? null : placeIn(list[index]);
  if (place !== null)
    act(breakCaptions(edit.value, { ...borders(list, index, index), [place]: 1 }), label('splitStep'));
}

function join(index: number): void {
  const list = captions.value ?? [];
  const next = numberOf(list[index + 1]);
  if (next === null) return;
  const own = writer.value;
  const joined = shiftCaption(breakCaptions(edit.value, { ...borders(list, index, index + 1), [next]: 0 }), next, null);
  const fits = own !== null && !captionsOf(own, joined).some((caption) => numberOf(caption) === next);
  if (fits) act(joined, label('joinStep'));
  else problem.value = index;
}

/** Sets when a caption is shown, seconds of what is rendered. */
function place(caption: Caption, startSeconds: number, endSeconds: number): void {
  const word = numberOf(caption);
  if (word === null) return;
  const [start, end] = edit.value.shifts[word] ?? [0, 0];
  const milliseconds = (value: number): number => Math.min(60, Math.max(-60, Math.round(value * 1000) / 1000));
  const shift = [
    milliseconds(start + startSeconds - caption.startSeconds),
    milliseconds(end + endSeconds - caption.endSeconds),
  ] as const;
  act(shiftCaption(edit.value, word, shift[0] === 0 && shift[1] === 0 ? null : shift), label('movedStep'));
}

/** Where it is in the recording: what follows its end may lie anywhere. */
function inRecording({ startSeconds, endSeconds }: Caption): readonly [number, number] {
  const { toSource } = times.value;
  return [toSource(startSeconds), toSource(Math.max(startSeconds, endSeconds - 0.001)) + 0.001];
}

/** An edge that is dragged, and where it is, seconds of the recording. */
const dragged = signal<{ readonly word: number; readonly edge: 0 | 1; readonly at: number } | null>(null);

/**
 * Captions under the waveform, whose edges are dragged. While they are in the list beside the text, whose fields do the
 * same by keys.
 */
export function CaptionLane(): JSX.Element | null {
  const lane = useRef<HTMLDivElement>(null);
  if (tab.value !== 'captions' || captions.value === null) return null;
  const [from, to] = view.value;
  const share = (at: number): number => ((at - from) / (to - from)) * 100;
  const shown = captions.value.flatMap((caption) => {
    const word = numberOf(caption);
    const own = dragged.value?.word === word ? dragged.value : null;
    const ends = inRecording(caption);
    const [start, end] = [own?.edge === 0 ? own.at : ends[0], own?.edge === 1 ? own.at : ends[1]];
    return word === null || end < from || start > to ? [] : [{ caption, word, start, end }];
  });
  const drag = (caption: Caption, word: number, edge: 0 | 1): JSX.Element => (
    <i
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        dragged.value = null;
      }}
      onPointerMove={(event) => {
        const box = lane.current?.getBoundingClientRect();
        if (box === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const at = from + ((event.clientX - box.left) / box.width) * (to - from);
        dragged.value = { word, edge, at: Math.min(Math.max(0, at), totalSeconds.value) };
      }}
      onPointerUp={() => {
        const now = dragged.value;
        dragged.value = null;
        if (now === null) return;
        const at = times.value.toOutput(now.at);
        if (edge === 0) place(caption, at, caption.endSeconds);
        else place(caption, caption.startSeconds, at);
      }}
    />
  );
  return (
    <div class="ed-lane" ref={lane} dir="ltr" aria-hidden="true">
      {shown.map(({ caption, word, start, end }) => (
        <div
          key={word}
          class={isFast(caption) ? 'fast' : ''}
          style={{ left: `${share(start)}%`, width: `${Math.max(0.5, share(end) - share(start))}%` }}
        >
          {drag(caption, word, 0)}
          <p dir="auto">{caption.lines.join(' ')}</p>
          {drag(caption, word, 1)}
        </div>
      ))}
    </div>
  );
}

export function Captions(): JSX.Element {
  useCaptions();
  const list = captions.value;
  if (list === null) return <p class="small soft pad-s">{t.loading}</p>;
  if (list.length === 0) return <p class="small soft pad-s">{t.noCaptions}</p>;
  const fast = list.filter(isFast).length;
  return (
    <>
      <div class="pad-s">
        <p class="small soft">{fill(t.captionsHelp, { n: limit.value?.cellsPerSecond ?? 0 })}</p>
        {fast > 0 && <p class="small err">{count(t.tooFast, fast)}</p>}
      </div>
      <VirtualList
        class="ed-rows"
        role="list"
        label={t.captions}
        count={list.length}
        estimate={() => 150}
        row={(index) => (
          <Item key={index} caption={list[index] as Caption} index={index} isLast={index === list.length - 1} />
        )}
      />
    </>
  );
}

interface ItemProps {
  readonly caption: Caption;
  readonly index: number;
  readonly isLast: boolean;
}

function Item({ caption, index, isLast }: ItemProps): JSX.Element {
  const { lines, startSeconds, endSeconds } = caption;
  const text = lines.join(' ');
  const label = text.length > 30 ? `${text.slice(0, 30)}\u2026` : text;
  const [from, to] = inRecording(caption);
  const isHere = position.value >= from && position.value < to;
  const at = placeIn(caption);
  const fast = isFast(caption);
  return (
    <div class={`item ed-cap ${isHere ? 'here' : ''}`} role="listitem">
      <button class="t ed-go" type="button" dir="auto" onClick={() => seek(from)}>
        {lines.map((line, row) => (
          <span key={row}>{line}</span>
        ))}
      </button>
      <p class={`m ${fast ? 'err' : ''}`}>
        <span class="num">{formatTime(startSeconds, 2)}</span> ·{' '}
        <span class="num">{fill(t.perSecond, { n: seconds(speedOf(caption), 1) })}</span>
        {fast && ` · ${t.fast}`}
      </p>
      {numberOf(caption) !== null && (
        <div class="do">
          <Time
            label={`${t.captionFrom}: ${label}`}
            value={startSeconds}
            set={(value) => place(caption, value, endSeconds)}
          />
          <Time
            label={`${t.captionTo}: ${label}`}
            value={endSeconds}
            set={(value) => place(caption, startSeconds, value)}
          />
          <button
            class="btn s only quiet"
            type="button"
            aria-label={fill(t.playAround, { text: label })}
            onClick={() =>
              playAround(
                from,
                Math.min(to, source.value === null ? to : source.value.frames / source.value.sampleRate),
                0.2,
              )
            }
          >
            <Icon of={icons.play} />
          </button>
          {at !== null && (
            <button
              class="btn s"
              type="button"
              title={fill(t.splitAt, { text: shownWord(at) })}
              aria-label={fill(t.splitHere, { text: label })}
              onClick={() => split(index)}
            >
              {t.split}
            </button>
          )}
          {!isLast && (
            <button
              class="btn s"
              type="button"
              title={t.join}
              aria-label={fill(t.joinOf, { text: label })}
              onClick={() => join(index)}
            >
              {t.joinShort}
            </button>
          )}
          {problem.value === index && (
            <p class="small err" role="alert">
              {t.tooLong}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

interface TimeProps {
  readonly label: string;
  readonly value: number;
  set(value: number): void;
}

const Time = ({ label, value, set }: TimeProps): JSX.Element => (
  <input
    class="input s num"
    type="number"
    step="0.1"
    min="0"
    aria-label={label}
    value={value.toFixed(2)}
    onChange={({ currentTarget }) => {
      if (Number.isFinite(currentTarget.valueAsNumber)) set(currentTarget.valueAsNumber);
    }}
  />
);
