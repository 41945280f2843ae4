// An aligned script as a transcript and as captions.
import type { Transcript, TranscriptSentence, TranscriptWord } from '../../contract/transcript.ts';
import { joinWords } from '../../contract/join-words.ts';
import { splitSentences } from '../transcript/sentences/split.ts';
import type { SpokenCaption } from '../transcript/write/caption.ts';
import { timeCaptions } from '../transcript/write/caption-times.ts';
import { captionLimits, cellsOf } from '../transcript/write/limits.ts';
import type { NamedCaption } from '../transcript/write/subtitles.ts';
import type { AlignedScript, AlignedWord } from './align-script.ts';

/** Sentences of plain text, within its paragraphs; of subtitles one sentence per cue, so that they stay unchanged. */
export function transcriptOf(
  { parts, words }: AlignedScript,
  { language, durationSeconds }: Pick<Transcript, 'language' | 'durationSeconds'>,
): Transcript {
  const sentences = wordsByPart(parts.length, words).flatMap((own, part) => {
    if (own.length === 0) return [];
    const spoken = own.map(transcriptWord);
    return parts[part]?.startSeconds === null ? splitSentences(spoken, language) : [cueSentence(spoken, own, language)];
  });
  return { format: 'earshot-transcript', version: 1, language, durationSeconds, speakerCount: null, sentences };
}

/** The cues of subtitles with their own lines at the times when they are spoken; without cues that were not found. */
export function captionsOfCues(
  { parts, words }: AlignedScript,
  { language, durationSeconds }: Pick<Transcript, 'language' | 'durationSeconds'>,
): NamedCaption[] {
  const limits = captionLimits(language);
  const cues = wordsByPart(parts.length, words).flatMap((own, index): (SpokenCaption & { voice: string | null })[] => {
    const found = own.filter(({ matched }) => matched);
    const [first, last, part] = [found[0], found.at(-1), parts[index]];
    if (!first || !last || !part) return [];
    const cells = part.lines.reduce((sum, line) => sum + cellsOf(line, limits), 0);
    const times = { spokenFrom: first.startSeconds, spokenTo: last.endSeconds };
    return [{ lines: part.lines, voice: part.voice, speaker: null, cells, ...times }];
  });
  return timeCaptions(cues, limits, durationSeconds).map((caption, index) => ({
    ...caption,
    voice: cues[index]?.voice ?? null,
  }));
}

function wordsByPart(parts: number, words: readonly AlignedWord[]): AlignedWord[][] {
  const lists: AlignedWord[][] = Array.from({ length: parts }, () => []);
  for (const word of words) lists[word.part]?.push(word);
  return lists;
}

const transcriptWord = ({ text, startSeconds, endSeconds, matched }: AlignedWord): TranscriptWord => ({
  text,
  startSeconds,
  endSeconds,
  ...(matched ? {} : { matched }),
});

function cueSentence(
  words: readonly TranscriptWord[],
  own: readonly AlignedWord[],
  language: string,
): TranscriptSentence {
  const found = own.filter(({ matched }) => matched);
  return {
    startSeconds: (found[0] ?? own[0])?.startSeconds ?? 0,
    endSeconds: (found.at(-1) ?? own.at(-1))?.endSeconds ?? 0,
    text: joinWords(words, language),
    speaker: null,
    words: [...words],
  };
}
