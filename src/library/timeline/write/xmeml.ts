// Final Cut Pro 7's interchange format, version 5 (Apple, "Final Cut Pro XML Interchange Format"): what Premiere Pro
// and DaVinci Resolve import and export as XML. Stereo lies on two tracks, as Premiere wants it, mono on one.
import { type FrameRate, timebaseOf } from '../../core/timecode.ts';
import { dbToGain } from '../../core/levels.ts';
import { xmlText } from '../../core/xml-text.ts';
import { framesAt, type GridClip, gridOf, isNtsc, onGrid, timecode } from '../form/frames.ts';
import { mediaUrl } from '../form/media-url.ts';
import {
  lengthOf,
  pictured,
  sampleRateOf,
  type Timeline,
  type TimelineClip,
  type TimelineSource,
  type WrittenTimeline,
} from '../form/timeline.ts';

/** For sound alone. */
const finest: FrameRate = { num: 60, den: 1 };
/** Of the level effect: 12 dB. */
const mostGain = 3.98107;

const rateElement = (rate: FrameRate): string =>
  `<rate><timebase>${timebaseOf(rate)}</timebase><ntsc>${isNtsc(rate) ? 'TRUE' : 'FALSE'}</ntsc></rate>`;

/** `file://localhost/`: Premiere wants the host. */
const address = (path: string): string => mediaUrl(path).replace('file:///', 'file://localhost/');

const channelsOf = ({ sound }: TimelineSource): number => Math.min(2, sound?.channels ?? 0);

/** A file is described once, then named by its id. */
function fileElements(): (source: TimelineSource, index: number, grid: FrameRate) => string {
  const described = new Set<number>();
  return (source, index, grid) => {
    const id = `file-${index + 1}`;
    if (described.has(index)) return `<file id="${id}"/>`;
    described.add(index);
    const { picture, sound, startFrames } = source;
    const rate = picture?.rate ?? grid;
    const clock =
      picture === null
        ? ''
        : `<timecode>${rateElement(rate)}<string>${timecode(startFrames ?? 0, rate)}</string>` +
          `<frame>${startFrames ?? 0}</frame></timecode>`;
    const video =
      picture === null
        ? ''
        : `<video><samplecharacteristics>${rateElement(rate)}<width>${picture.width}</width>` +
          `<height>${picture.height}</height></samplecharacteristics></video>`;
    const audio =
      sound === null
        ? ''
        : `<audio><samplecharacteristics><depth>16</depth><samplerate>${sound.sampleRate}</samplerate>` +
          `</samplecharacteristics><channelcount>${sound.channels}</channelcount></audio>`;
    return (
      `<file id="${id}"><name>${xmlText(source.name)}</name><pathurl>${xmlText(address(source.path))}</pathurl>` +
      `${rateElement(rate)}<duration>${framesAt(source.durationSeconds, rate)}</duration>${clock}` +
      `<media>${video}${audio}</media></file>`
    );
  };
}

const levelOf = ({ gainDb = 0 }: TimelineClip): string =>
  gainDb === 0
    ? ''
    : '<filter><effect><name>Audio Levels</name><effectid>audiolevels</effectid>' +
      '<effectcategory>audiolevels</effectcategory><effecttype>audiolevels</effecttype><mediatype>audio</mediatype>' +
      '<parameter><parameterid>level</parameterid><name>Level</name><valuemin>0</valuemin><valuemax>3.98109</valuemax>' +
      `<value>${Math.min(mostGain, dbToGain(gainDb)).toFixed(6)}</value></parameter></effect></filter>`;

interface Placed {
  readonly clip: TimelineClip;
  readonly on: GridClip;
  readonly source: TimelineSource;
  /** Of its pictures and of its channels: its track of that kind and its place there, from 1. */
  readonly parts: {
    readonly kind: 'video' | 'audio';
    readonly track: number;
    readonly place: number;
    readonly id: string;
  }[];
}

/** Where every clip lies: pictures on one track for each of the timeline's, sound on one or two. */
function placeAll({ sources, tracks }: Timeline, grid: FrameRate): { placed: Placed[]; video: number; audio: number } {
  const placed: Placed[] = [];
  const filled = new Map<string, number>();
  let [video, audio, ids] = [0, 0, 0];
  for (const { clips } of tracks) {
    const own = clips.flatMap((clip) => sources[clip.source] ?? []);
    const hasPicture = own.some(({ picture }) => picture !== null);
    for (const clip of clips) {
      const [on, source] = [onGrid(clip, grid), sources[clip.source]];
      if (on === null || source === undefined) continue;
      const part = (kind: 'video' | 'audio', track: number): Placed['parts'][number] => {
        const key = `${kind}${track}`;
        const place = (filled.get(key) ?? 0) + 1;
        filled.set(key, place);
        ids += 1;
        return { kind, track, place, id: `clipitem-${ids}` };
      };
      const parts = [
        ...(source.picture === null ? [] : [part('video', video + 1)]),
        ...Array.from({ length: channelsOf(source) }, (_, channel) => part('audio', audio + channel + 1)),
      ];
      placed.push({ clip, on, source, parts });
    }
    video += hasPicture ? 1 : 0;
    audio += Math.max(0, ...own.map(channelsOf));
  }
  return { placed, video, audio };
}

interface Writing {
  readonly grid: FrameRate;
  readonly fileOf: ReturnType<typeof fileElements>;
}

/** A picture of a clip, or one of its channels. @param channel from 1; of a picture 0 */
function itemOf(
  { clip, on, source, parts }: Placed,
  part: Placed['parts'][number],
  channel: number,
  { grid, fileOf }: Writing,
): string {
  const link = (other: Placed['parts'][number]): string =>
    `<link><linkclipref>${other.id}</linkclipref><mediatype>${other.kind}</mediatype>` +
    `<trackindex>${other.track}</trackindex><clipindex>${other.place}</clipindex></link>`;
  return (
    `            <clipitem id="${part.id}"><name>${xmlText(source.name)}</name><enabled>TRUE</enabled>` +
    `<duration>${Math.max(framesAt(source.durationSeconds, grid), on.start + on.length)}</duration>` +
    `${rateElement(grid)}<start>${on.at}</start><end>${on.at + on.length}</end><in>${on.start}</in>` +
    `<out>${on.start + on.length}</out>${fileOf(source, clip.source, grid)}` +
    (part.kind === 'video'
      ? ''
      : `<sourcetrack><mediatype>audio</mediatype><trackindex>${channel}</trackindex></sourcetrack>${levelOf(clip)}`) +
    `${parts.length === 1 ? '' : parts.map(link).join('')}</clipitem>`
  );
}

export function writeXmeml(timeline: Timeline): WrittenTimeline {
  const grid = gridOf(timeline, finest);
  const { placed, video, audio } = placeAll(timeline, grid);
  const fileOf = fileElements();
  /** By kind and track, in order. A file is described where it first occurs, so pictures are written first. */
  const items = new Map<string, string[]>();
  for (const kind of ['video', 'audio'] as const)
    for (const each of placed) {
      const sounds = each.parts.filter((part) => part.kind === 'audio');
      for (const part of kind === 'audio' ? sounds : each.parts.filter((one) => one.kind === 'video')) {
        const key = `${kind}${part.track}`;
        const own = items.get(key) ?? [];
        own.push(itemOf(each, part, sounds.indexOf(part) + 1, { grid, fileOf }));
        items.set(key, own);
      }
    }
  const itemsOf = (kind: 'video' | 'audio', track: number): string => (items.get(`${kind}${track}`) ?? []).join('\n');
  const tracksOf = (kind: 'video' | 'audio', count: number): string =>
    Array.from(
      { length: count },
      (_, index) => `          <track>\n${itemsOf(kind, index + 1)}\n          </track>`,
    ).join('\n');
  const picture = pictured(timeline)?.picture;
  const markers = timeline.markers
    .map(({ atSeconds, durationSeconds, text }) => {
      const at = framesAt(atSeconds, grid);
      const out = durationSeconds === 0 ? -1 : at + framesAt(durationSeconds, grid);
      return `    <marker><name>${xmlText(text)}</name><comment></comment><in>${at}</in><out>${out}</out></marker>`;
    })
    .join('\n');
  const videoTracks = tracksOf('video', video);
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE xmeml>
<xmeml version="5">
  <sequence id="sequence-1">
    <name>${xmlText(timeline.name)}</name>
    <duration>${framesAt(lengthOf(timeline), grid)}</duration>
    ${rateElement(grid)}
    <timecode>${rateElement(grid)}<string>${timecode(0, grid)}</string><frame>0</frame></timecode>
    <media>
      <video>
        <format><samplecharacteristics>${rateElement(grid)}<width>${picture?.width ?? 1920}</width>\
<height>${picture?.height ?? 1080}</height></samplecharacteristics></format>
${videoTracks}
      </video>
      <audio>
        <format><samplecharacteristics><depth>16</depth><samplerate>${sampleRateOf(timeline)}</samplerate>\
</samplecharacteristics></format>
${tracksOf('audio', audio)}
      </audio>
    </media>
${markers}
  </sequence>
</xmeml>
`;
  const has = (what: (clip: TimelineClip) => boolean): boolean => placed.some(({ clip }) => what(clip));
  return {
    text,
    leftOut: [
      ...(has((clip) => Boolean(clip.fadeInSeconds ?? clip.fadeOutSeconds)) ? ['fades'] : []),
      ...(has(({ gainDb = 0 }) => gainDb > 12) ? ['gains over 12 dB (12 dB instead)'] : []),
      ...(placed.some(({ source }) => (source.sound?.channels ?? 0) > 2) ? ['channels after the second'] : []),
    ],
  };
}
