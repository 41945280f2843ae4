// The edit as a timeline of editing programs, and what they made of it as an edit.
import { complement, type Span } from '../../library/speech/word-edit/spans.ts';
import type { TimelineFormat } from '../../library/timeline/form/timeline.ts';
import { save, stem } from './exports.ts';
import { label } from './labels.ts';
import { data, t } from './page-data.ts';
import { work } from './running.ts';
import { Failure } from './source.ts';
import { act, edit, editList, source, totalSeconds } from './state.ts';

/** By format: who opens it, its ending, and whether it needs no pictures to count. */
export const timelineExports: readonly (readonly [TimelineFormat, opener: string, ending: string, isTime?: true])[] = [
  ['otio', 'DaVinci Resolve', 'OTIO'],
  ['fcpxml', 'Final Cut Pro', 'FCPXML'],
  ['xmeml', 'Premiere Pro', 'XML'],
  ['edl', 'CMX3600', 'EDL'],
  ['reaper', 'Reaper', 'RPP', true],
  ['audacity', 'Audacity', 'TXT', true],
  ['csv', t.table, 'CSV', true],
];

/** Of a film on a device the rate of its pictures is not known. */
export const countsPictures = (): boolean =>
  source.value?.hasVideo !== true || (data.file?.picture?.frameRate ?? null) !== null;

const formats = (): Promise<typeof import('../islands/timelines.ts')> => import(data.addresses.timelines);

export async function exportTimeline(format: TimelineFormat): Promise<void> {
  const own = source.value;
  if (own === null) return;
  const { name, sampleRate, channels, frames } = own;
  const { timelineFile } = await formats();
  const { text, extension } = timelineFile(format, {
    name,
    title: `${stem()} · ${t.edited}`,
    sampleRate,
    channels,
    frames,
    picture: data.file?.picture ?? null,
    keeps: editList.value.keeps,
  });
  save(`${stem()}.cut.${extension}`, text);
}

/** Cuts what an edited timeline leaves out, in one step. */
export async function takeTimeline(file: File): Promise<void> {
  try {
    const found = await source.value?.readTimeline?.(await file.text());
    if (found === undefined) return;
    const times = complement(
      found.ranges.map(([from, to]): Span => [from, to]),
      0,
      totalSeconds.value,
    );
    const without = found.ignored.join(', ');
    act(
      { ...edit.value, cut: [], times },
      label(without === '' ? 'took' : 'tookWithout', { name: file.name, without }),
    );
  } catch (thrown) {
    const failure = thrown instanceof Failure ? thrown : new Failure('failed', (thrown as Error).message);
    work.value = { name: 'failed', failure };
  }
}
