// The whole recording, and the part of it that is worked on; both are sliders for keys and screen readers.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { JSX, TargetedPointerEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Span } from '../../library/speech/word-edit/spans.ts';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import { wordAt } from './doc.ts';
import { drawPicture, drawRuler } from './draw.ts';
import { positionKeys } from './keys.ts';
import { t } from './page-data.ts';
import { pause, play, seek, sound, toggle } from './playback.ts';
import {
  decisionOf,
  doc,
  editedSeconds,
  listen,
  suggestionList,
  peaks,
  peaksLooked,
  playing,
  position,
  ranges,
  rate,
  removed,
  selectedWords,
  selection,
  showFrom,
  shownWord,
  source,
  timeSelection,
  totalSeconds,
  view,
  zoom,
} from './state.ts';

/** Times of what is picked. */
function pickedTime(): Span | null {
  const words = selectedWords.value;
  if (words === null) return timeSelection.value;
  const [first, last] = [doc.value?.words[words[0]], doc.value?.words[words[1] - 1]];
  return first === undefined || last === undefined ? null : [first.startSeconds, last.endSeconds];
}

const openTimes = (): readonly Span[] =>
  suggestionList.value
    .filter((suggestion) => decisionOf(suggestion) === 'open')
    .map((suggestion) =>
      'cut' in suggestion ? suggestion.cut : ([suggestion.startSeconds, suggestion.endSeconds] as const),
    );

/** What a screen reader says of a position. */
function spoken(at: number): string {
  const word = doc.value === null ? -1 : wordAt(doc.value, at);
  const time = formatTime(at);
  return word < 0 ? time : fill(t.positionWord, { at: time, word: shownWord(word) });
}

/** Draws when something that it reads changes, once a frame. */
function useDrawing(draw: (canvas: HTMLCanvasElement) => void) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal(0);
  useEffect(() => {
    const watch = new ResizeObserver(() => void (size.value += 1));
    if (canvas.current !== null) watch.observe(canvas.current);
    const theme = matchMedia('(prefers-color-scheme: dark)');
    const look = (): void => void (size.value += 1);
    theme.addEventListener('change', look);
    return () => {
      watch.disconnect();
      theme.removeEventListener('change', look);
    };
  }, []);
  useSignalEffect(() => {
    void size.value;
    void peaks.value?.come.value;
    if (canvas.current !== null) draw(canvas.current);
  });
  return canvas;
}

interface HeadProps {
  readonly view: Span;
}

/** The play head: moved by the browser's compositor, not drawn anew. */
function Head({ view: [from, to] }: HeadProps): JSX.Element | null {
  const share = (position.value - from) / (to - from);
  if (share < 0 || share > 1) return null;
  return <i class="ed-head" aria-hidden="true" style={{ insetInlineStart: `${share * 100}%` }} />;
}

const sliderOf = (name: string) => ({
  role: 'slider' as const,
  tabIndex: 0,
  'aria-label': name,
  'aria-valuemin': 0,
  'aria-valuemax': Math.round(totalSeconds.value * 10) / 10,
  'aria-valuenow': Math.round(position.value * 10) / 10,
  'aria-valuetext': spoken(position.value),
  onKeyDown: positionKeys,
});

/** Share of the width at which a pointer is, 0 to 1, from the left: time does not turn with the writing. */
function shareOf({ currentTarget, clientX }: TargetedPointerEvent<HTMLElement>): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return Math.min(1, Math.max(0, (clientX - left) / width));
}

export function Overview(): JSX.Element {
  const canvas = useDrawing((target) =>
    drawPicture(target, {
      peaks: peaks.value,
      view: [0, totalSeconds.value],
      window: view.value,
      cuts: removed.value,
      picked: null,
      asked: [],
    }),
  );
  const move = (event: TargetedPointerEvent<HTMLElement>, sets: boolean): void => {
    const at = shareOf(event) * totalSeconds.value;
    const length = view.value[1] - view.value[0];
    if (sets) seek(at);
    showFrom(at - length / 2);
  };
  return (
    <div
      class="wave s"
      dir="ltr"
      {...sliderOf(t.whole)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event, true);
      }}
      onPointerMove={(event) => event.buttons === 1 && move(event, false)}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <Head view={[0, totalSeconds.value]} />
    </div>
  );
}

export function Transport(): JSX.Element {
  const name = playing.value ? t.pause : listen.value === 'edited' ? t.play : t.playRecorded;
  const choose = (which: 'edited' | 'recorded'): void => {
    const goesOn = playing.value;
    if (goesOn) pause();
    listen.value = which;
    if (goesOn) play();
  };
  return (
    <div class="transport">
      <button class="btn only l ink" type="button" aria-label={name} aria-keyshortcuts="Space" onClick={toggle}>
        <Icon of={playing.value ? icons.pause : icons.play} />
      </button>
      <p class="time">
        {formatTime(position.value, 2)}{' '}
        <small>/ {formatTime(listen.value === 'edited' ? editedSeconds.value : totalSeconds.value, 2)}</small>
      </p>
      {rate.value !== 1 && <p class="tag">{fill(t.speed, { n: rate.value })}</p>}
      <fieldset>
        <legend class="sr">{t.listenTo}</legend>
        <div class="seg">
          {(['edited', 'recorded'] as const).map((which) => (
            <label key={which}>
              <input type="radio" name="listen" checked={listen.value === which} onChange={() => choose(which)} />
              {t[which]}
            </label>
          ))}
        </div>
      </fieldset>
      <div class="row push">
        <button class="btn s only" type="button" aria-label={t.zoomOut} aria-keyshortcuts="-" onClick={() => zoom(1.6)}>
          <Icon of={icons.zout} />
        </button>
        <span class="num num-s soft">{fill(t.inView, { time: formatTime(view.value[1] - view.value[0]) })}</span>
        <button
          class="btn s only"
          type="button"
          aria-label={t.zoomIn}
          aria-keyshortcuts="+"
          onClick={() => zoom(1 / 1.6)}
        >
          <Icon of={icons.zin} />
        </button>
      </div>
      {sound.value === null && listen.value === 'edited' && <p class="xs soft ed-nearly">{t.nearly}</p>}
    </div>
  );
}

/** A drag of less than this is a click, px. */
const clickPixels = 4;

export function Detail(): JSX.Element {
  const canvas = useDrawing((target) =>
    drawPicture(target, {
      peaks: peaks.value,
      view: view.value,
      window: null,
      cuts: removed.value,
      picked: pickedTime(),
      asked: openTimes(),
    }),
  );
  const ruler = useDrawing((target) =>
    drawRuler(target, view.value, (at) => formatTime(at, view.value[1] - view.value[0] < 8 ? 1 : 0)),
  );
  const box = useRef<HTMLDivElement>(null);
  const began = useRef<{ readonly x: number; readonly at: number } | null>(null);
  const timeOf = (event: TargetedPointerEvent<HTMLElement>): number => {
    const [from, to] = view.value;
    return from + shareOf(event) * (to - from);
  };
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const roll = (event: WheelEvent): void => {
      const [from, to] = view.value;
      const { left, width } = element.getBoundingClientRect();
      const at = from + ((event.clientX - left) / width) * (to - from);
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoom(Math.exp(event.deltaY / 300), at);
      } else if (event.deltaX !== 0 || event.shiftKey) {
        event.preventDefault();
        showFrom(from + ((event.deltaX || event.deltaY) / width) * (to - from));
      }
    };
    // Not passive, since it may keep the page from scrolling.
    element.addEventListener('wheel', roll, { passive: false });
    return () => element.removeEventListener('wheel', roll);
  }, []);
  return (
    <>
      <canvas class="ed-ruler" ref={ruler} aria-hidden="true" dir="ltr" />
      <div
        ref={box}
        class="wave m"
        dir="ltr"
        {...sliderOf(t.position)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          began.current = { x: event.clientX, at: timeOf(event) };
        }}
        onPointerMove={(event) => {
          const start = began.current;
          if (start === null || event.pointerType === 'touch' || Math.abs(event.clientX - start.x) < clickPixels)
            return;
          const now = timeOf(event);
          selection.value = null;
          timeSelection.value = [Math.min(start.at, now), Math.max(start.at, now)];
        }}
        onPointerUp={(event) => {
          const start = began.current;
          began.current = null;
          if (start === null || Math.abs(event.clientX - start.x) >= clickPixels) return;
          timeSelection.value = null;
          seek(start.at);
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
        <Head view={view.value} />
        {peaks.value === null && source.value !== null && (
          <p class="ed-nowave small soft">{peaksLooked.value ? t.noWave : t.waveSlow}</p>
        )}
      </div>
      {ranges.value.order === 'given' && <p class="small soft">{t.waveRecorded}</p>}
    </>
  );
}
