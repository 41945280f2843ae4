// What can be had of the edited state besides the sound: captions, transcript, edit list.
import { crossfadeMs } from '../../library/contract/edit-defaults.ts';
import { editedTranscript } from '../../library/speech/text-edit/edited-transcript.ts';
import type { Transcript } from '../../library/contract/transcript.ts';
import type { CaptionOptions } from '../../library/speech/transcript/write/subtitles.ts';
import type { TranscriptFormat } from '../../library/speech/transcript/write/formats.ts';
import { data, t } from './page-data.ts';
import { doc, edit, heard, ranges, source, speakerName, speakers, times } from './state.ts';

/** The script that writes texts: loaded when it is wanted. */
export const written = (): Promise<typeof import('../islands/written.ts')> => import(data.addresses.written);

/** The transcript of what will be rendered. @param isNumbered words have their numbers, for captions */
export function transcriptNow(isNumbered: boolean): Transcript | null {
  const own = doc.value;
  if (own === null) return null;
  const words = isNumbered ? own.words.map((word, number) => ({ ...word, number })) : own.words;
  return editedTranscript({ ...own, words }, edit.value, times.value, heard.value);
}

/**
 * One speaker without a name is not named in every line. Names are in the language of the page, unless one was given.
 */
export function captionOptions({ speakerCount }: Transcript, format?: TranscriptFormat): CaptionOptions {
  const isNamed = (speakerCount ?? 0) > 1 || format === 'vtt' || format === 'rttm';
  const names = isNamed
    ? Object.fromEntries(speakers.value.map((speaker) => [speaker, speakerName(speaker)]))
    : edit.value.names;
  return { names, byHand: { breaks: edit.value.breaks, shifts: edit.value.shifts } };
}

/** Readers ignore what they do not know (docs/transcript-format.md). */
const namesField = (): object => (Object.keys(edit.value.names).length === 0 ? {} : { names: edit.value.names });

export const textExports: readonly (readonly [TranscriptFormat, string])[] = [
  ['srt', t.subtitles],
  ['vtt', t.subtitles],
  ['ass', t.subtitles],
  ['ttml', t.subtitles],
  ['txt', t.transcript],
  ['docx', t.transcript],
  ['json', t.transcript],
];

export const stem = (): string => (source.value?.name ?? 'recording').replace(/\.[^.]+$/, '');

export async function exportText(format: TranscriptFormat): Promise<void> {
  const transcript = transcriptNow(format !== 'json');
  if (transcript === null) return;
  const { writeTranscript } = await written();
  const given = format === 'json' ? { ...transcript, ...namesField() } : transcript;
  save(`${stem()}.cut.${format}`, writeTranscript(given, format, captionOptions(transcript, format)));
}

/** The edit as cut_audio takes it. */
export function exportList(): void {
  save(
    `${stem()}.cuts.json`,
    `${JSON.stringify({ tool: 'cut_audio', crossfade_ms: crossfadeMs, ...ranges.value }, null, 1)}\n`,
  );
}

export function save(name: string, content: string | Uint8Array<ArrayBuffer>): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
