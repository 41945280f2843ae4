// Captions of the recording without what was taken out.
import { readFileSync } from 'node:fs';
import { EarshotError } from '../../core/errors/errors.ts';
import type { TimeRange } from '../../core/time-range.ts';
import { blank, blankText } from '../../speech/redact/blank-text.ts';
import type { Finder } from '../../speech/redact/sought.ts';
import { type Cue, readScript } from '../../speech/transcript/read/script.ts';
import { srtOf, vttOf } from '../../speech/transcript/write/subtitles.ts';

type Captions = Extract<ReturnType<typeof readScript>, { readonly cues: readonly Cue[] }>;

/** @throws EarshotError wrong_file_type */
export function readCaptions(path: string): Captions {
  const script = readScript(readFileSync(path));
  if (script.format !== 'txt') return script;
  throw new EarshotError('wrong_file_type', 'Expected captions as SRT or VTT but the file has no times', {
    nextAction: 'Name the captions of the recording as SRT or VTT.',
  });
}

/** Captions are set by hand, and begin before the words: what is taken out may be in one that is this far. */
const reachSeconds = 0.5;

const overlaps = (a: TimeRange, b: TimeRange): boolean =>
  a.startSeconds < b.endSeconds && b.startSeconds < a.endSeconds;

/**
 * By its text; and where it shows words at a time of which nothing is heard and that it spells otherwise, as a whole.
 */
function blankedCue(cue: Cue, finder: Finder, unfound: readonly TimeRange[]): Cue {
  const text = blankText(cue.lines.join('\n'), finder);
  const voice = cue.voice === null ? null : (blankText(cue.voice, finder) ?? cue.voice);
  if (unfound.some((range) => overlaps(range, cue))) return { ...cue, voice, lines: [blank] };
  return { ...cue, voice, lines: text === null ? cue.lines : text.split('\n').filter((line) => line.trim() !== '') };
}

/** @returns the captions in the format they had, and how many were changed */
export function blankCaptions(
  { format, cues }: Captions,
  taken: readonly TimeRange[],
  kept: readonly TimeRange[],
  finder: Finder,
): { readonly text: string; readonly changed: number } {
  const hasHit = cues.map(({ lines }) => blankText(lines.join('\n'), finder) !== null);
  const unfound = taken.filter(({ startSeconds, endSeconds }) => {
    const around = { startSeconds: startSeconds - reachSeconds, endSeconds: endSeconds + reachSeconds };
    return !cues.some((cue, at) => hasHit[at] === true && overlaps(cue, around));
  });
  const stays = (cue: Cue): boolean =>
    kept.some((range) => overlaps(cue, range)) && !taken.some((range) => overlaps(cue, range));
  const blanked = cues.map((cue) => (stays(cue) ? cue : blankedCue(cue, finder, unfound)));
  const changed = blanked.filter(({ lines }, at) => lines.join('\n') !== cues[at]?.lines.join('\n')).length;
  return { text: format === 'vtt' ? vttOf(blanked) : srtOf(blanked), changed };
}
