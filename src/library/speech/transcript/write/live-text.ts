// Captions and text that grow while people speak.
import type { TranscriptSentence } from '../../../contract/transcript.ts';
import { captionsOf } from './captions.ts';
import { srtOf, vttOf } from './subtitles.ts';

/** Text to append for further sentences; before any, for none, the head of the file. */
export type LiveTextWriter = (sentences: readonly TranscriptSentence[]) => string;

const captionsFor = (sentences: readonly TranscriptSentence[]): ReturnType<typeof captionsOf> =>
  captionsOf({
    format: 'earshot-transcript',
    version: 1,
    language: '',
    durationSeconds: sentences.at(-1)?.endSeconds ?? 0,
    speakerCount: null,
    sentences: [...sentences],
  });

function srtWriter(): LiveTextWriter {
  let written = 0;
  return (sentences) => {
    const captions = captionsFor(sentences);
    const text = srtOf(captions, written + 1);
    const gap = written > 0 && captions.length > 0 ? '\n' : '';
    written += captions.length;
    return `${gap}${text}`;
  };
}

const writers: Readonly<Record<string, () => LiveTextWriter>> = {
  srt: srtWriter,
  vtt: () => (sentences) =>
    sentences.length === 0 ? vttOf([]) : vttOf(captionsFor(sentences)).slice('WEBVTT\n'.length),
  txt: () => (sentences) => sentences.map(({ text }) => `${text}\n`).join(''),
};

/** @param format srt, vtt or txt; null for others */
export const liveTextWriter = (format: string): LiveTextWriter | null => writers[format]?.() ?? null;
