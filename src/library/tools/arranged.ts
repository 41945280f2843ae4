// What a tool did to its recordings, by its result, for timelines.
import type { JsonObject } from '../core/json.ts';
import type { TimeRange } from '../core/time-range.ts';
import { courseOf } from './course.ts';
import type { PlacedInput } from './declare/facts.ts';
import { requireTool } from './registry.ts';

/** A sentence that was written down. */
interface Said {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
  readonly speaker: number | null;
}

/** What a tool has done. */
export interface ToolOutcome {
  /** Its id. */
  readonly tool: string;
  readonly result: object;
}

/** Of so many inputs, the first, a timeline has clips. */
export function arrangedInputs({ tool, result }: ToolOutcome, inputs: number): number {
  const placed = requireTool(tool).placed?.(result) ?? null;
  return Math.min(inputs, placed === null ? 1 : placed.length);
}

/**
 * @param inputSeconds length of its first input
 * @param transcript that it wrote; null: none
 */
export function arrangementOf(
  { tool: id, result }: ToolOutcome,
  inputSeconds: number,
  transcript: { readonly sentences: readonly Said[] } | null,
): {
  readonly title: string;
  readonly placed: readonly PlacedInput[] | null;
  readonly kept: readonly TimeRange[] | null;
  readonly markers: { readonly atSeconds: number; readonly durationSeconds: number; readonly text: string }[];
} {
  const { title, placed, silent, timeLine } = requireTool(id);
  const places = placed?.(result) ?? null;
  const course = places !== null || timeLine === 'same' ? null : courseOf(id, result as JsonObject, inputSeconds);
  return {
    title,
    placed: places,
    kept: course?.kept ?? null,
    // What is muted is marked: it may be anything from a name to a bleep that is still to come.
    markers: [
      ...(silent?.(result) ?? []).map(({ startSeconds, endSeconds }) => ({
        atSeconds: course?.toOutput(startSeconds) ?? startSeconds,
        durationSeconds: endSeconds - startSeconds,
        text: 'muted',
      })),
      ...(places !== null || course !== null ? [] : (transcript?.sentences ?? []).map(markerOf)),
    ],
  };
}

const markerOf = ({ startSeconds, endSeconds, text, speaker }: Said) => ({
  atSeconds: startSeconds,
  durationSeconds: endSeconds - startSeconds,
  text: speaker === null ? text : `Speaker ${speaker}: ${text}`,
});

/** Does its timeline hold what was said? */
export const marksSentences = (tool: string): boolean => requireTool(tool).formats?.includes('json') ?? false;
