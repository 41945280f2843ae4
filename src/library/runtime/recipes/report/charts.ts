// Charts as SVG that fills the width of the page: places are shares of it, so that letters keep their size.
import type { Html } from '../../../core/markup.ts';
import type { TimeRange } from '../../../core/time-range.ts';
import { columnsOf } from '../../../waveform/outline.ts';
import { frequencyTicks, timeTicks, type Tick } from '../../../waveform/ticks.ts';
import { markup } from './html.ts';
import type { LevelChange } from './level-change.ts';
import { frequencies, heightShare, shareOf, type ReportedSound } from './sound.ts';

/** Height of the time axis under a chart, pixels. */
const axisHeight = 22;
const percent = (share: number): string => `${Number((share * 100).toFixed(3))}%`;
const short = (value: number): string => `${Number(value.toFixed(1))}`;

/** The whole width of a chart in seconds: the same for what is to be compared. */
export interface TimeScale {
  readonly seconds: number;
}

/** Labels for a phone, and more for a wide page. */
function timeAxis({ seconds }: TimeScale, top: number): Html {
  const ticksFor = (most: number): Tick[] => timeTicks(0, seconds, (step) => seconds / step <= most);
  const few = new Set(
    ticksFor(5)
      .filter(({ label }) => label !== '')
      .map(({ at }) => at.toFixed(3)),
  );
  const marks = ticksFor(12).map(({ at, label }) => {
    const share = seconds > 0 ? at / seconds : 0;
    const x = percent(share);
    const isWide = label !== '' && !few.has(at.toFixed(3));
    const line = markup`<line class="axis" x1="${x}" x2="${x}" y1="${top}" y2="${top + (label === '' ? 3 : 6)}" />`;
    if (label === '') return line;
    const anchor = share < 0.03 ? 'start' : share > 0.97 ? 'end' : 'middle';
    const shown = isWide ? 'wide' : 'label';
    return markup`${line}<text class="${shown}" x="${x}" y="${top + 18}" text-anchor="${anchor}">${label}</text>`;
  });
  return markup`<line class="axis" x1="0" x2="100%" y1="${top}" y2="${top}" />${marks}`;
}

const chart = (title: string, height: number, inner: Html): Html =>
  markup`<svg class="chart" role="img" aria-label="${title}" width="100%" height="${height}">${inner}</svg>`;

/** Columns of a waveform. */
const across = 1000;
const laneHeight = 200;

function lanePaths({ outline }: ReportedSound, channels: ReportedSound['outline']['channels'], scale: number): Html {
  const { low, high, rms } = columnsOf(outline, channels, across);
  const y = (value: number): string => short((1 - Math.max(-1, Math.min(1, value * scale))) * (laneHeight / 2));
  const outlineOf = (upper: (x: number) => number, lower: (x: number) => number): string => {
    const there = Array.from({ length: across }, (_, x) => `${x} ${y(upper(x))}H${x + 1}`);
    const back = Array.from({ length: across }, (_, index) => `${across - index} ${y(lower(across - 1 - index))}`);
    return `M${there.join('L')}L${back.join('L')}Z`;
  };
  const top = (x: number): number => high[x] as number;
  const bottom = (x: number): number => low[x] as number;
  const body = (x: number): number => rms?.[x] ?? 0;
  const peaks = outlineOf(top, bottom);
  const inner = outlineOf(
    (x) => Math.min(body(x), top(x)),
    (x) => Math.max(-body(x), bottom(x)),
  );
  return markup`<path class="peaks" d="${peaks}" /><path class="body" d="${inner}" /><path
      class="zero"
      d="M0 ${laneHeight / 2}H${across}"
    />`;
}

/**
 * A waveform with a lane for each of two channels, or one for all.
 * @param scale factor of the samples
 * @param marked stretches that are laid under it, seconds
 */
export function waveformChart(
  title: string,
  sound: ReportedSound,
  time: TimeScale,
  scale: number,
  marked: readonly TimeRange[],
): Html {
  const { channels } = sound.outline;
  const lanes = channels.length === 2 ? channels.map((channel) => [channel]) : [channels];
  const height = 130;
  const share = time.seconds > 0 ? sound.seconds / time.seconds : 0;
  const marks = marked.map(({ startSeconds, endSeconds }) => {
    const width = Math.max(0.0005, (endSeconds - startSeconds) / time.seconds);
    return markup`<rect
      class="cut"
      x="${percent(startSeconds / time.seconds)}"
      width="${percent(width)}"
      y="0"
      height="${height}"
    />`;
  });
  const drawn = lanes.map(
    (lane, index) =>
      markup`<svg
        x="0"
        y="${(index * height) / lanes.length}"
        width="${percent(share)}"
        height="${height / lanes.length}"
        viewBox="0 0 ${across} ${laneHeight}"
        preserveAspectRatio="none"
      >
        ${lanePaths(sound, lane, scale)}
      </svg>`,
  );
  return chart(title, height + axisHeight, markup`${marks}${drawn}${timeAxis(time, height)}`);
}

/** A spectrogram with frequencies written over it. */
export function spectrogramChart(title: string, sound: ReportedSound, time: TimeScale): Html | null {
  if (sound.spectrogram === null) return null;
  const height = 190;
  const share = time.seconds > 0 ? sound.seconds / time.seconds : 0;
  const own = height * Math.min(1, heightShare(sound.outline.sampleRate));
  const source = `data:image/webp;base64,${sound.spectrogram.toString('base64')}`;
  const ticks = frequencyTicks(frequencies.lowHz, frequencies.highHz, 'log', (a, b) => b / a >= 1.9).filter(
    ({ label, at }) => label !== '' && at > frequencies.lowHz && at < frequencies.highHz,
  );
  const labels = ticks.map(({ at, label }) => {
    const y = (1 - shareOf(at)) * height;
    return markup`<line class="level" x1="0" x2="6" y1="${short(y)}" y2="${short(y)}" /><text
        class="over"
        x="9"
        y="${short(y + 4)}"
        >${label}</text
      >`;
  });
  return chart(
    title,
    height + axisHeight,
    markup`<rect class="dark" x="0" y="0" width="${percent(share)}" height="${height}" /><image
        href="${source}"
        x="0"
        y="${short(height - own)}"
        width="${percent(share)}"
        height="${short(own)}"
        preserveAspectRatio="none"
      />${labels}${timeAxis(time, height)}`,
  );
}

/** The change of level over time, dB. null: nothing could be measured. */
export function levelChart(title: string, changes: readonly LevelChange[], time: TimeScale): Html | null {
  const known = changes.flatMap(({ db }) => (db === null ? [] : [db]));
  if (known.length === 0) return null;
  const step = Math.max(...known, 0) - Math.min(...known, 0) > 30 ? 10 : 5;
  const top = step * Math.ceil(Math.max(...known, 0) / step + 0.2);
  const bottom = step * Math.floor(Math.min(...known, 0) / step - 0.2);
  const height = 130;
  const y = (db: number): number => ((top - db) / (top - bottom)) * height;
  let isDrawing = false;
  const line = changes.map(({ seconds, db }) => {
    const command = isDrawing ? 'L' : 'M';
    isDrawing = db !== null;
    return db === null ? '' : `${command}${short((seconds / time.seconds) * across)} ${short(y(db))}h0`;
  });
  const every = Math.max(1, Math.ceil((top - bottom) / step / 5)) * step;
  const levels = Array.from({ length: Math.floor((top - bottom) / step) + 1 }, (_, index) => top - index * step)
    .filter((db) => db % every === 0)
    .map(
      (db) =>
        markup`<line
            class="${db === 0 ? 'zero' : 'grid'}"
            x1="0"
            x2="100%"
            y1="${short(y(db))}"
            y2="${short(y(db))}"
          /><text class="label" x="3" y="${short(Math.max(11, y(db) - 3))}">${`${db > 0 ? '+' : ''}${db} dB`}</text>`,
    );
  const curve = markup`<svg
    x="0"
    y="0"
    width="100%"
    height="${height}"
    viewBox="0 0 ${across} ${height}"
    preserveAspectRatio="none"
  >
    <path class="gain" d="${line.join('')}" />
  </svg>`;
  return chart(title, height + axisHeight, markup`${levels}${curve}${timeAxis(time, height)}`);
}
