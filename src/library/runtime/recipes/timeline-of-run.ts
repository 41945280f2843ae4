// What a run did to its recordings, as a timeline of the recordings themselves: cut, joined and mixed again in an
// editing program, each cut to be moved.
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parseTranscript } from '../../contract/parse-transcript.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { framesOfTimecode } from '../../core/timecode.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { probe } from '../../media/read/probe.ts';
import { frameRateOf, isUsual } from '../../timeline/form/frames.ts';
import type {
  Timeline,
  TimelineClip,
  TimelineFormat,
  TimelineMarker,
  TimelineSource,
  TimelineTrack,
} from '../../timeline/form/timeline.ts';
import { timelineFormats } from '../../timeline/write-timeline.ts';
import type { PlacedInput } from '../../tools/declare/facts.ts';
import { requireTool } from '../../tools/registry.ts';
import type { NamedFile } from '../files/inputs.ts';
import { courseOf } from '../previews/course.ts';
import type { FinishedRun } from './report/report.ts';

/** How a timeline is written. */
export interface TimelineOptions {
  /** Default: the tool and the names of the inputs. */
  readonly name?: string;
  /**
   * Pictures a second of formats that count pictures: 24, 29.97, ... Default: of the first recording that has pictures;
   * for sound alone the finest that the format has.
   */
  readonly frameRate?: number;
}

/** A run's timeline. */
export interface RunTimeline {
  readonly format: TimelineFormat;
  /** Of its file: "otio", "fcpxml", "xml", "edl", "rpp", "labels.txt", "csv". */
  readonly extension: string;
  /** The file's content. */
  readonly text: string;
  /** What of the timeline the format cannot hold, in words: "fades". */
  readonly leftOut: readonly string[];
}

function sourceOf(facts: MediaFacts, name: string): TimelineSource {
  const { audio, video, hasVideo, durationSeconds } = facts;
  const rate = frameRateOf(video?.frameRate ?? 25);
  return {
    path: resolve(facts.path),
    name,
    durationSeconds: durationSeconds ?? 0,
    sound: audio && { sampleRate: audio.sampleRate, channels: audio.channels },
    picture: hasVideo && video ? { width: video.width, height: video.height, rate } : null,
    startFrames:
      video?.timecode === undefined || video.timecode === null ? null : framesOfTimecode(video.timecode, rate),
  };
}

const wholeClip = (source: number, { durationSeconds }: TimelineSource): TimelineClip => ({
  source,
  startSeconds: 0,
  endSeconds: durationSeconds,
  atSeconds: 0,
});

/** Recordings one after the other or beside each other: what overlaps lies on tracks of its own and fades. */
function placedTracks(sources: readonly TimelineSource[], placed: readonly PlacedInput[]): TimelineTrack[] {
  const clips = placed.map(({ startSeconds, durationSeconds, gainDb }, source): TimelineClip => {
    const endSeconds = durationSeconds ?? sources[source]?.durationSeconds ?? 0;
    return { source, startSeconds: 0, endSeconds, atSeconds: startSeconds, gainDb: gainDb ?? 0 };
  });
  const inTurn = placed.some(({ startSeconds }) => startSeconds > 0);
  if (!inTurn) return clips.map((clip, index) => ({ name: sources[index]?.name ?? '', clips: [clip] }));
  const endOf = ({ atSeconds, startSeconds, endSeconds }: TimelineClip): number =>
    atSeconds + endSeconds - startSeconds;
  const tracks: TimelineClip[][] = [[]];
  for (const [index, clip] of clips.entries()) {
    const [before, after] = [clips[index - 1], clips[index + 1]];
    const fadeInSeconds = before ? Math.max(0, endOf(before) - clip.atSeconds) : 0;
    const fadeOutSeconds = after ? Math.max(0, endOf(clip) - after.atSeconds) : 0;
    let track = tracks.find((each) => each.length === 0 || endOf(each.at(-1) as TimelineClip) <= clip.atSeconds + 1e-9);
    if (track === undefined) tracks.push((track = []));
    track.push({ ...clip, fadeInSeconds, fadeOutSeconds });
  }
  return tracks.map((each, index) => ({ name: `Track ${index + 1}`, clips: each }));
}

/** The sentences of the transcript that a run wrote. */
function sentencesOf({ outputs }: FinishedRun): TimelineMarker[] {
  const json = outputs.find(({ path }) => path.toLowerCase().endsWith('.json'));
  if (json === undefined) return [];
  const { sentences } = parseTranscript(readFileSync(json.path, 'utf8'));
  return sentences.map(({ startSeconds, endSeconds, text, speaker }) => ({
    atSeconds: startSeconds,
    durationSeconds: endSeconds - startSeconds,
    text: speaker === null ? text : `Speaker ${speaker}: ${text}`,
  }));
}

/** What a run did, as a timeline. @throws EarshotError bad_request for a run that has none; as `probe` */
function timelineOf(
  run: FinishedRun,
  inputs: readonly (string | NamedFile)[],
  { name, frameRate }: TimelineOptions,
): { timeline: Timeline; leftOut: readonly string[] } {
  const named = inputs.map((input) => (typeof input === 'string' ? { path: input, name: basename(input) } : input));
  const tool = requireTool(run.tool);
  const placed = tool.placed?.(run.result) ?? null;
  const used = placed === null ? named.slice(0, 1) : named.slice(0, placed.length);
  const facts = used.map(({ path }) => probe(path));
  const sources = facts.map((each, index) => sourceOf(each, used[index]?.name ?? ''));
  const [source] = sources;
  if (source === undefined) throw noTimeline(tool.id);
  const rides = placed?.some((each) => each.rides === true) ?? false;
  const isUneven = sources.some(({ picture }) => picture !== null && !isUsual(picture.rate));
  const common = {
    name: name ?? `${tool.title}: ${used.map((file) => file.name).join(', ')}`,
    sources,
    ...(frameRate === undefined ? {} : { rate: frameRateOf(frameRate) }),
  };
  const leftOut = [
    ...(rides ? ['gains that move with the sound'] : []),
    ...(isUneven ? ['a steady rate of pictures, which the recording has not: places may be off by a few'] : []),
  ];
  if (placed !== null) return { timeline: { ...common, tracks: placedTracks(sources, placed), markers: [] }, leftOut };
  const course = tool.timeLine === 'same' ? null : courseOf(tool.id, run.result as JsonObject, source.durationSeconds);
  if (course !== null) {
    let at = 0;
    const clips = course.kept.map(({ startSeconds, endSeconds }): TimelineClip => {
      const clip = { source: 0, startSeconds, endSeconds, atSeconds: at };
      at += endSeconds - startSeconds;
      return clip;
    });
    return { timeline: { ...common, tracks: [{ name: source.name, clips }], markers: [] }, leftOut };
  }
  const markers = tool.formats?.includes('json') ? sentencesOf(run) : [];
  if (markers.length === 0) throw noTimeline(tool.id);
  return { timeline: { ...common, tracks: [{ name: source.name, clips: [wholeClip(0, source)] }], markers }, leftOut };
}

const noTimeline = (tool: string): EarshotError =>
  new EarshotError('bad_request', `Expected a run that cuts, joins, mixes or transcribes but received one of ${tool}`, {
    nextAction: 'Of a transcript the JSON has to be written; other tools leave nothing to arrange.',
  });

/** `runTimeline` of the library's surface. */
export function runTimeline(
  run: FinishedRun,
  inputs: readonly (string | NamedFile)[],
  format: TimelineFormat,
  options: TimelineOptions = {},
): RunTimeline {
  const { timeline, leftOut } = timelineOf(run, inputs, options);
  const { extension, write } = timelineFormats[format];
  const written = write(timeline);
  return { format, extension, text: written.text, leftOut: [...leftOut, ...written.leftOut] };
}
