// Final Cut Pro XML 1.11 (Apple, "FCPXML Reference"). Times are whole frames of the sequence as fractions of a second.
import type { FrameRate } from '../../core/timecode.ts';
import { xmlText } from '../../core/xml-text.ts';
import { clockStart, dropsFrames, framesAt, type GridClip, gridOf, markersOn, onGrid } from '../form/frames.ts';
import { lastOf, mediaUrl } from '../form/media-url.ts';
import {
  lengthOf,
  sampleRateOf,
  type Timeline,
  type TimelineClip,
  type TimelineSource,
  type WrittenTimeline,
} from '../form/timeline.ts';

/** For sound alone: the finest that Final Cut has. */
const finest: FrameRate = { num: 60, den: 1 };

/** Seconds as Final Cut counts them: a whole number of frames. */
function fraction(frames: number, { num, den }: FrameRate): string {
  const over = frames * den;
  return over % num === 0 ? `${over / num}s` : `${over}/${num}s`;
}

const rates: readonly [number, string][] = [
  [32_000, '32k'],
  [44_100, '44.1k'],
  [48_000, '48k'],
  [88_200, '88.2k'],
  [96_000, '96k'],
  [176_400, '176.4k'],
  [192_000, '192k'],
];

const layoutOf = (channels: number): string => (channels === 1 ? 'mono' : channels === 2 ? 'stereo' : 'surround');

const attributes = (values: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${xmlText(String(value))}"`)
    .join('');

function assetOf(source: TimelineSource, index: number, grid: FrameRate, least: number): string {
  const { name, path, sound, picture } = source;
  const values = {
    id: `a${index + 1}`,
    name,
    start: fraction(clockStart(source, grid), grid),
    duration: fraction(Math.max(framesAt(source.durationSeconds, grid), least), grid),
    ...(picture === null ? {} : { hasVideo: 1, videoSources: 1, format: `f${index + 2}` }),
    ...(sound === null
      ? {}
      : { hasAudio: 1, audioSources: 1, audioChannels: sound.channels, audioRate: sound.sampleRate }),
  };
  return `    <asset${attributes(values)}>
      <media-rep kind="original-media" src="${xmlText(mediaUrl(path))}"/>
    </asset>`;
}

const formatOf = (id: string, rate: FrameRate, width: number, height: number): string =>
  `    <format${attributes({ id, frameDuration: fraction(1, rate), width, height })}/>`;

interface Placed {
  readonly clip: TimelineClip;
  readonly on: GridClip;
  readonly source: TimelineSource;
}

/** Gain and fades of a clip. */
function volumeOf({ gainDb = 0, fadeInSeconds = 0, fadeOutSeconds = 0 }: TimelineClip, grid: FrameRate): string {
  if (gainDb === 0 && fadeInSeconds === 0 && fadeOutSeconds === 0) return '';
  const fade = (name: string, type: string, seconds: number): string =>
    seconds === 0 ? '' : `<${name} type="${type}" duration="${fraction(framesAt(seconds, grid), grid)}"/>`;
  const fades = fade('fadeIn', 'easeIn', fadeInSeconds) + fade('fadeOut', 'easeOut', fadeOutSeconds);
  const amount = `amount="${gainDb.toFixed(2)}dB"`;
  return fades === ''
    ? `<adjust-volume ${amount}/>`
    : `<adjust-volume ${amount}><param name="amount" value="${gainDb.toFixed(2)}dB">${fades}</param></adjust-volume>`;
}

/** Markers of a stretch of the timeline, by the clock of what lies in it. */
const markersIn = ({ markers, grid }: Spot, at: number, end: number, clock: number): string =>
  markers(at, end)
    .map(
      ({ marker, frame }) =>
        `<marker${attributes({
          start: fraction(clock + frame - at, grid),
          duration: fraction(Math.max(1, framesAt(marker.durationSeconds, grid)), grid),
          value: marker.text,
        })}/>`,
    )
    .join('');

interface Spot {
  readonly grid: FrameRate;
  readonly tcFormat: string;
  readonly markers: ReturnType<typeof markersOn>;
  readonly lane?: number;
}

function clipElement({ clip, on, source }: Placed, spot: Spot): string {
  const { grid, tcFormat, lane } = spot;
  const clock = clockStart(source, grid) + on.start;
  const values = {
    ref: `a${clip.source + 1}`,
    lane,
    offset: fraction(on.at, grid),
    name: source.name,
    start: fraction(clock, grid),
    duration: fraction(on.length, grid),
    tcFormat,
    ...(source.sound === null ? {} : { audioRole: 'dialogue' }),
  };
  const inside = volumeOf(clip, grid) + markersIn(spot, on.at, on.at + on.length, clock);
  return inside === ''
    ? `<asset-clip${attributes(values)}/>`
    : `<asset-clip${attributes(values)}>${inside}</asset-clip>`;
}

function gapElement(at: number, length: number, spot: Spot, inside = ''): string {
  const { grid } = spot;
  const values = { name: 'Gap', offset: fraction(at, grid), start: '0s', duration: fraction(length, grid) };
  const all = inside + markersIn(spot, at, at + length, 0);
  return all === '' ? `<gap${attributes(values)}/>` : `<gap${attributes(values)}>${all}</gap>`;
}

export function writeFcpxml(timeline: Timeline): WrittenTimeline {
  const { name, sources, tracks, markers } = timeline;
  const grid = gridOf(timeline, finest);
  const tcFormat = dropsFrames(grid) ? 'DF' : 'NDF';
  const placed = tracks.map(({ clips }) =>
    clips.flatMap((clip): Placed[] => {
      const [on, source] = [onGrid(clip, grid), sources[clip.source]];
      return on === null || source === undefined ? [] : [{ clip, on, source }];
    }),
  );
  const total = Math.max(1, framesAt(lengthOf(timeline), grid));
  const spot: Spot = { grid, tcFormat, markers: markersOn(markers, grid) };
  let spine: string;
  const [only] = placed;
  if (placed.length === 1 && only !== undefined) {
    const elements: string[] = [];
    let at = 0;
    for (const each of only) {
      if (each.on.at > at) elements.push(gapElement(at, each.on.at - at, spot));
      elements.push(clipElement(each, spot));
      at = each.on.at + each.on.length;
    }
    spine = elements.map((element) => `            ${element}`).join('\n');
  } else {
    // Connected clips lie by the clock of what they hang on: a gap that begins at zero has the timeline's.
    const lanes = placed.flatMap((clips, index) =>
      clips.map((each) => `\n              ${clipElement(each, { ...spot, markers: () => [], lane: index + 1 })}`),
    );
    spine = `            ${gapElement(0, total, spot, lanes.join(''))}`;
  }
  const picture = sources.find((source) => source.picture !== null)?.picture;
  const ends = new Map<number, number>();
  for (const { clip, on } of placed.flat())
    ends.set(clip.source, Math.max(ends.get(clip.source) ?? 0, on.start + on.length));
  const channels = Math.max(0, ...sources.map(({ sound }) => sound?.channels ?? 0));
  const rate = sampleRateOf(timeline);
  const audioRate = rates.find(([hz]) => hz === rate)?.[1] ?? '48k';
  const sequence = {
    format: 'f1',
    duration: fraction(total, grid),
    tcStart: '0s',
    tcFormat,
    audioLayout: layoutOf(channels),
    audioRate,
  };
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE fcpxml>
<fcpxml version="1.11">
  <resources>
${[
  formatOf('f1', grid, picture?.width ?? 1920, picture?.height ?? 1080),
  ...sources.flatMap((source, index) =>
    source.picture === null
      ? []
      : [formatOf(`f${index + 2}`, source.picture.rate, source.picture.width, source.picture.height)],
  ),
  ...sources.map((source, index) => assetOf(source, index, grid, ends.get(index) ?? 0)),
].join('\n')}
  </resources>
  <library>
    <event name="${xmlText(lastOf(name))}">
      <project name="${xmlText(name)}">
        <sequence${attributes(sequence)}>
          <spine>
${spine}
          </spine>
        </sequence>
      </project>
    </event>
  </library>
</fcpxml>
`;
  return { text, leftOut: [] };
}
