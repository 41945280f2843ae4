// Plays a recording before and after, in step and equally loud, over its waveform.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon } from '../ui.tsx';
import type { Draw } from '../waveform.ts';
import type { Analysed } from '../bench-data.ts';
import { t } from './player-texts.ts';

export interface Side {
  readonly url: string;
  /** null while it is not decoded, or when it is too long or of an unknown codec. */
  readonly analysed: Analysed | null;
  /** Its loudness as the service measured it, where it is too long to be measured here. Default: it is not known. */
  readonly lufs?: number | undefined;
}

interface PlayerProps {
  /** The recording; null when there is nothing to compare with. */
  readonly before: Side | null;
  readonly after: Side;
  readonly isVideo: boolean;
  /** null while its script is not loaded. */
  readonly draw: Draw | null;
  /** Tells its choice of A and B from those of other players. Default: there is one. */
  readonly group?: string;
}

/** Attenuation of each side, dB, so that both are as loud as the softer one. */
function matching(before: Side | null, after: Side): readonly [a: number, b: number] {
  const a = before?.analysed?.measured?.integratedLufs ?? before?.lufs ?? null;
  const b = after.analysed?.measured?.integratedLufs ?? after.lufs ?? null;
  if (a === null || b === null) return [0, 0];
  return [Math.min(0, b - a), Math.min(0, a - b)];
}

const gain = (db: number): number => 10 ** (db / 20);

/** Largest sample. */
const peakOf = ({ measured, peaks }: Analysed): number =>
  measured === null
    ? peaks.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    : gain(measured.samplePeakDbfs ?? -120);

type Which = 'a' | 'b';

/** Two media elements in sync, of which one is audible. */
function usePlayback(after: Side, downs: readonly [number, number]) {
  const side = useSignal<Which>('b');
  const playing = useSignal(false);
  const now = useSignal(0);
  const length = useSignal(after.analysed?.measured?.seconds ?? 0);
  const first = useRef<HTMLAudioElement>(null);
  const second = useRef<HTMLMediaElement>(null);
  const [downA, downB] = downs;
  const chosen = side.value;

  useEffect(() => {
    if (first.current !== null) first.current.volume = chosen === 'a' ? gain(downA) : 0;
    if (second.current !== null) second.current.volume = chosen === 'b' ? gain(downB) : 0;
  }, [chosen, downA, downB]);
  useEffect(() => {
    if (!playing.value) return undefined;
    let frame = 0;
    const step = (): void => {
      now.value = second.current?.currentTime ?? 0;
      // Two elements drift by milliseconds in minutes; the position is corrected only when it would be audible.
      const [a, b] = [first.current, second.current];
      if (a !== null && b !== null && Math.abs(a.currentTime - b.currentTime) > 0.08) a.currentTime = b.currentTime;
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [playing.value]);

  const seek = (seconds: number): void => {
    const to = Math.min(length.value, Math.max(0, seconds));
    for (const element of [first.current, second.current]) if (element !== null) element.currentTime = to;
    now.value = to;
  };
  const toggle = async (): Promise<void> => {
    const elements = [first.current, second.current].filter((element) => element !== null);
    if (playing.value) for (const element of elements) element.pause();
    else {
      if (first.current !== null && second.current !== null) first.current.currentTime = second.current.currentTime;
      await Promise.all(elements.map((element) => element.play().catch(() => undefined)));
    }
    playing.value = !playing.value;
  };
  return { side, playing, now, length, first, second, seek, toggle };
}

type Playback = ReturnType<typeof usePlayback>;

export function Player({ before, after, isVideo, draw, group = 'side' }: PlayerProps): JSX.Element {
  const downs = matching(before, after);
  const playback = usePlayback(after, downs);
  const { side, playing, now, length, first, second, seek, toggle } = playback;
  const chosen = side.value;
  const element = {
    src: after.url,
    preload: 'auto' as const,
    onLoadedMetadata: ({ currentTarget }: { readonly currentTarget: HTMLMediaElement }) =>
      void (length.value = Number.isFinite(currentTarget.duration) ? currentTarget.duration : length.value),
    onEnded: () => {
      playing.value = false;
      seek(0);
    },
  };
  const down = downs[chosen === 'a' ? 0 : 1];
  const choice = (which: Which, name: string): JSX.Element => (
    <label>
      <input type="radio" name={group} checked={chosen === which} onChange={() => void (side.value = which)} />
      <b>{which.toUpperCase()}</b> {name}
    </label>
  );
  return (
    <div>
      {isVideo ? <video class="media" ref={second as never} {...element} /> : <audio ref={second} {...element} />}
      {before !== null && <audio ref={first} src={before.url} preload="auto" />}
      <div class="transport">
        <button
          class="btn only l ink"
          type="button"
          aria-label={playing.value ? t.pause : t.play}
          onClick={() => void toggle()}
        >
          <Icon of={playing.value ? icons.pause : icons.play} />
        </button>
        <p class="time">
          {formatTime(now.value)} <small>/ {formatTime(length.value)}</small>
        </p>
        {before !== null && (
          <fieldset class="ab">
            <legend class="sr">{t.listenTo}</legend>
            <div class="seg">
              {choice('a', t.playA)}
              {choice('b', t.playB)}
            </div>
          </fieldset>
        )}
        {down < -0.05 && (
          <p class="hint push xs">{fill(t.matched, { which: chosen.toUpperCase(), db: (-down).toFixed(1) })}</p>
        )}
      </div>
      {after.analysed !== null && draw !== null && (
        <Wave before={before} after={after} draw={draw} playback={playback} />
      )}
    </div>
  );
}

interface WaveProps extends Pick<PlayerProps, 'before' | 'after'> {
  readonly draw: Draw;
  readonly playback: Playback;
}

/** The waveform of the audible side over a pale one of the other; a slider for keyboard and screen readers. */
function Wave({ before, after, draw, playback }: WaveProps): JSX.Element {
  const { side, now, length, seek, toggle } = playback;
  const canvas = useRef<HTMLCanvasElement>(null);
  const show = (): void => {
    const [own, other] = side.value === 'a' ? [before?.analysed, after.analysed] : [after.analysed, before?.analysed];
    if (canvas.current === null || !own) return;
    const greatest = Math.max(...[own, other].map((one) => (one ? peakOf(one) : 0)), 1e-6);
    draw(canvas.current, {
      peaks: own.peaks,
      ghost: other?.peaks,
      scale: 1 / greatest,
      head: length.value > 0 ? now.value / length.value : 0,
    });
  };
  useEffect(show);
  useEffect(() => {
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
  });
  const keys: Readonly<Record<string, () => void>> = {
    ArrowRight: () => seek(now.value + 1),
    ArrowLeft: () => seek(now.value - 1),
    PageDown: () => seek(now.value + 5),
    PageUp: () => seek(now.value - 5),
    '.': () => seek(now.value + 0.01),
    ',': () => seek(now.value - 0.01),
    Home: () => seek(0),
    End: () => seek(length.value),
    ' ': () => void toggle(),
    b: () => void (side.value = side.value === 'a' ? 'b' : 'a'),
  };
  return (
    <div
      class="wave l"
      role="slider"
      tabIndex={0}
      aria-label={t.position}
      aria-valuemin={0}
      aria-valuemax={Math.round(length.value * 10) / 10}
      aria-valuenow={Math.round(now.value * 10) / 10}
      aria-valuetext={fill(t.positionText, { at: formatTime(now.value), end: formatTime(length.value) })}
      onKeyDown={(event) => {
        const act = keys[event.key];
        if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        act();
      }}
      onPointerDown={({ currentTarget, clientX }) => {
        const box = currentTarget.getBoundingClientRect();
        seek(((clientX - box.left) / box.width) * length.value);
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  );
}
