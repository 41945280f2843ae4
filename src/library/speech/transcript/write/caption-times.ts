// Times of captions: with the voice, longer where reading takes longer, and without flicker.
import type { Caption, SpokenCaption } from './caption.ts';
import {
  type CaptionLimits,
  flickerSeconds,
  gapSeconds,
  lingerSeconds,
  longestSeconds,
  shortestSeconds,
} from './limits.ts';

/** How much earlier than its first word a caption may appear that would be too short otherwise. */
const earliestSeconds = 0.5;
/** Two voices at once: their captions are shown together. A shorter overlap is an inaccuracy. */
const overlapSeconds = 0.3;

/** @param captions in order of their first word */
export function timeCaptions(
  captions: readonly SpokenCaption[],
  limits: CaptionLimits,
  durationSeconds: number,
): Caption[] {
  const starts = startsOf(captions);
  return captions.map(({ spokenTo, cells, lines, speaker, words }, index) => {
    const start = starts[index]!;
    const next = captions[index + 1];
    const nextStart = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    const isTogether = next !== undefined && next.speaker !== speaker && spokenTo - nextStart > overlapSeconds;
    const limit = isTogether ? spokenTo : Math.min(nextStart - gapSeconds, Math.max(spokenTo, durationSeconds));
    const wanted = Math.max(spokenTo + lingerSeconds, start + shortestSeconds, start + cells / limits.cellsPerSecond);
    let end = Math.min(wanted, Math.max(start + longestSeconds, spokenTo), limit);
    if (limit - end < flickerSeconds - gapSeconds) end = limit;
    // Words of zero length at one time: shown anyway.
    return {
      startSeconds: milliseconds(start),
      endSeconds: Math.max(milliseconds(start) + 0.001, milliseconds(end)),
      lines,
      speaker,
      ...(words === undefined ? {} : { words }),
    };
  });
}

const milliseconds = (seconds: number): number => Math.round(Math.max(0, seconds) * 1000) / 1000;

function startsOf(captions: readonly SpokenCaption[]): number[] {
  const starts = captions.map(({ spokenFrom }) => Math.max(0, spokenFrom));
  for (const [index, { spokenFrom }] of captions.entries()) {
    const next = captions[index + 1];
    if (next === undefined) continue;
    const missing = shortestSeconds - (next.spokenFrom - gapSeconds - spokenFrom);
    if (missing <= 0) continue;
    const free = index === 0 ? 0 : captions[index - 1]!.spokenTo + gapSeconds;
    const before = index === 0 ? 0 : starts[index - 1]!;
    const earliest = Math.max(free, before, spokenFrom - earliestSeconds, 0);
    starts[index] = Math.min(spokenFrom, Math.max(earliest, spokenFrom - missing));
  }
  return starts;
}
