import type { Transcript, TranscriptSentence } from '../../../contract/transcript.ts';
import { isSpaced } from '../join-words.ts';
import { hasSeveralSpeakers } from './several-speakers.ts';

/** Such a pause ends a paragraph after a few sentences. */
const paragraphPauseSeconds = 1.5;
const paragraphSentences = 4;
/** Sentences after which a paragraph always ends. */
const mostSentences = 12;

/**
 * Plain text: a paragraph for each turn, and after long pauses; separated by empty lines. With several speakers, turns
 * start with "Speaker 1: ".
 */
export function toPlainText(transcript: Transcript): string {
  const { sentences, language } = transcript;
  const several = hasSeveralSpeakers(transcript);
  const paragraphs: { speaker: number | null; named: boolean; sentences: TranscriptSentence[] }[] = [];
  for (const sentence of sentences) {
    const last = paragraphs.at(-1);
    const before = last?.sentences.at(-1);
    if (last && before && last.speaker === sentence.speaker && !isLongEnough(last.sentences, sentence))
      last.sentences.push(sentence);
    else
      paragraphs.push({
        speaker: sentence.speaker,
        named: several && sentence.speaker !== null && sentence.speaker !== last?.speaker,
        sentences: [sentence],
      });
  }
  return paragraphs
    .map((paragraph) => {
      let text = paragraph.named ? `Speaker ${paragraph.speaker}: ` : '';
      for (const [index, sentence] of paragraph.sentences.entries()) {
        const before = paragraph.sentences[index - 1];
        text += (before && isSpaced(before.text, sentence.text, language) ? ' ' : '') + sentence.text;
      }
      return `${text}\n`;
    })
    .join('\n');
}

function isLongEnough(paragraph: readonly TranscriptSentence[], next: TranscriptSentence): boolean {
  const pause = next.startSeconds - paragraph.at(-1)!.endSeconds;
  return (
    paragraph.length >= mostSentences || (paragraph.length >= paragraphSentences && pause >= paragraphPauseSeconds)
  );
}
