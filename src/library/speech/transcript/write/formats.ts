// Every form in which a transcript is written.
import type { Transcript } from '../../../contract/transcript.ts';
import { type AssOptions, toAss } from './ass.ts';
import { toDocx } from './docx.ts';
import { toTranscriptJson } from './json.ts';
import { toPlainText } from './plain-text.ts';
import { toRttm } from './rttm.ts';
import { toSrt, toVtt } from './subtitles.ts';
import { toTtml } from './ttml.ts';

/** srt, vtt, txt, json, ass, ttml (EBU-TT-D), docx, rttm (speakers alone). */
export type TranscriptFormat = 'srt' | 'vtt' | 'txt' | 'json' | 'ass' | 'ttml' | 'docx' | 'rttm';

type Writer = (transcript: Transcript, options: AssOptions) => string | Uint8Array<ArrayBuffer>;

const writers: Readonly<Record<TranscriptFormat, Writer>> = {
  srt: toSrt,
  vtt: toVtt,
  txt: toPlainText,
  json: (transcript: Transcript) => toTranscriptJson(transcript),
  ass: toAss,
  ttml: toTtml,
  docx: toDocx,
  rttm: toRttm,
};

export const transcriptFormats = Object.keys(writers) as readonly TranscriptFormat[];

export const writeTranscript = (
  transcript: Transcript,
  format: TranscriptFormat,
  options: AssOptions = {},
): string | Uint8Array<ArrayBuffer> => {
  const { names } = transcript;
  return writers[format](
    transcript,
    names === undefined ? options : { ...options, names: { ...names, ...options.names } },
  );
};
