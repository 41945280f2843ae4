import type { Transcript, TranscriptSentence } from '../../../contract/transcript.ts';
import { isSpaced } from '../../../contract/join-words.ts';
import { heardSentences } from './heard-sentences.ts';
import { hasSeveralSpeakers } from './several-speakers.ts';
import { type CaptionOptions, speakerName } from './subtitles.ts';

/** Such a pause ends a paragraph after a few sentences. */
const paragraphPauseSeconds = 1.5;
const paragraphSentences = 4;
/** Sentences after which a paragraph always ends. */
const mostSentences = 12;

/**
 * Plain text: a paragraph for each turn, and after long pauses; separated by empty lines. With several speakers, turns
 * start with "Speaker 1: ".
 */
export const toPlainText = (transcript: Transcript, options: CaptionOptions = {}): string =>
  paragraphsOf(transcript, options)
    .map(({ speaker, named, text }) => `${named ? `${speakerName(speaker ?? 0, options)}: ` : ''}${text}\n`)
    .join('\n');

export interface Paragraph {
  readonly speaker: number | null;
  /** It starts a turn whose speaker is told. */
  readonly named: boolean;
  readonly startSeconds: number;
  readonly text: string;
}

export function paragraphsOf(transcript: Transcript, { names = {} }: CaptionOptions): Paragraph[] {
  const { language } = transcript;
  const several = hasSeveralSpeakers(transcript);
  const paragraphs: { speaker: number | null; named: boolean; sentences: TranscriptSentence[] }[] = [];
  for (const sentence of heardSentences(transcript)) {
    const last = paragraphs.at(-1);
    const before = last?.sentences.at(-1);
    const { speaker } = sentence;
    if (last && before && last.speaker === speaker && !isLongEnough(last.sentences, sentence))
      last.sentences.push(sentence);
    else {
      const tells = speaker !== null && (several || names[speaker] !== undefined);
      paragraphs.push({ speaker, named: tells && speaker !== last?.speaker, sentences: [sentence] });
    }
  }
  return paragraphs.map(({ speaker, named, sentences: own }) => {
    let text = '';
    for (const [index, sentence] of own.entries()) {
      const before = own[index - 1];
      text += (before && isSpaced(before.text, sentence.text, language) ? ' ' : '') + sentence.text;
    }
    return { speaker, named, startSeconds: own[0]?.startSeconds ?? 0, text };
  });
}

function isLongEnough(paragraph: readonly TranscriptSentence[], next: TranscriptSentence): boolean {
  const pause = next.startSeconds - paragraph.at(-1)!.endSeconds;
  return (
    paragraph.length >= mostSentences || (paragraph.length >= paragraphSentences && pause >= paragraphPauseSeconds)
  );
}
