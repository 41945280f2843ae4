// What can be had of the edited state besides the sound: captions, transcript, edit list.
import { crossfadeMs } from '../../library/contract/edit-defaults.ts';
import { editedTranscript } from '../../library/speech/text-edit/edited-transcript.ts';
import type { Transcript } from '../../library/contract/transcript.ts';
import { toTranscriptJson } from '../../library/speech/transcript/write/json.ts';
import { toPlainText } from '../../library/speech/transcript/write/plain-text.ts';
import { toSrt, toVtt } from '../../library/speech/transcript/write/subtitles.ts';
import { t } from './page-data.ts';
import { doc, edit, editedSeconds, removed, source, speakerName, speakers, times } from './state.ts';

/** The transcript of what will be rendered. */
function transcriptNow(): Transcript | null {
  const own = doc.value;
  if (own === null) return null;
  return editedTranscript(own, edit.value, (at) => times.value.toOutput(at), editedSeconds.value);
}

/** In the language of the page, unless a name was given. */
const names = (): Readonly<Record<number, string>> =>
  Object.fromEntries(speakers.value.map((speaker) => [speaker, speakerName(speaker)]));

const writers = {
  srt: (transcript: Transcript) => toSrt(transcript, { names: severalNames(transcript) }),
  vtt: (transcript: Transcript) => toVtt(transcript, { names: names() }),
  txt: (transcript: Transcript) => toPlainText(transcript, { names: severalNames(transcript) }),
  json: (transcript: Transcript) => toTranscriptJson({ ...transcript, ...namesField() }),
};

/** One speaker without a name is not named in every line. */
const severalNames = ({ speakerCount }: Transcript): Readonly<Record<number, string>> =>
  (speakerCount ?? 0) > 1 ? names() : edit.value.names;

/** Readers ignore what they do not know (docs/transcript-format.md). */
const namesField = (): object => (Object.keys(edit.value.names).length === 0 ? {} : { names: edit.value.names });

export type TextExport = keyof typeof writers;

export const textExports: readonly (readonly [TextExport, string])[] = [
  ['srt', t.subtitles],
  ['vtt', t.subtitles],
  ['txt', t.transcript],
  ['json', t.transcript],
];

const stem = (): string => (source.value?.name ?? 'recording').replace(/\.[^.]+$/, '');

export function exportText(format: TextExport): void {
  const transcript = transcriptNow();
  if (transcript !== null) save(`${stem()}.cut.${format}`, writers[format](transcript));
}

/** What is removed, as cut_audio takes it. */
export function exportList(): void {
  save(
    `${stem()}.cuts.json`,
    `${JSON.stringify({ tool: 'cut_audio', mode: 'remove', crossfade_ms: crossfadeMs, ranges: removed.value }, null, 1)}\n`,
  );
}

function save(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
