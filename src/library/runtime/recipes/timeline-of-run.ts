// What a run did to its recordings, as a timeline of the recordings themselves.
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parseTranscript } from '../../contract/parse-transcript.ts';
import { framesOfTimecode } from '../../core/timecode.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { probe } from '../../media/read/probe.ts';
import { arrange, type TimelineOptions } from '../../timeline/form/arrange.ts';
import { frameRateOf } from '../../timeline/form/frames.ts';
import type { TimelineFormat, TimelineSource } from '../../timeline/form/timeline.ts';
import { timelineFormats } from '../../timeline/write-timeline.ts';
import { arrangedInputs, arrangementOf, marksSentences } from '../../tools/arranged.ts';
import type { NamedFile } from '../files/inputs.ts';
import type { FinishedRun } from './report/report.ts';

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

/** The transcript that a run wrote. */
function transcriptOf({ outputs }: FinishedRun): ReturnType<typeof parseTranscript> | null {
  const json = outputs.find(({ path }) => path.toLowerCase().endsWith('.json'));
  return json === undefined ? null : parseTranscript(readFileSync(json.path, 'utf8'));
}

/** `runTimeline` of the library's surface. */
export function runTimeline(
  run: FinishedRun,
  inputs: readonly (string | NamedFile)[],
  format: TimelineFormat,
  options: TimelineOptions = {},
): RunTimeline {
  const sources = inputs
    .map((input) => (typeof input === 'string' ? { path: input, name: basename(input) } : input))
    .slice(0, arrangedInputs(run, inputs.length))
    .map(({ path, name }) => sourceOf(probe(path), name));
  const transcript = marksSentences(run.tool) ? transcriptOf(run) : null;
  const arrangement = arrangementOf(run, sources[0]?.durationSeconds ?? 0, transcript);
  const { timeline, leftOut } = arrange(sources, arrangement, options);
  const { extension, write } = timelineFormats[format];
  const written = write(timeline);
  return { format, extension, text: written.text, leftOut: [...leftOut, ...written.leftOut] };
}
