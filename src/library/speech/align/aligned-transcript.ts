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
  const sentences = wordsByPart(words).flatMap((own) => {
    const spoken = own.map(transcriptWord);
    return parts[own[0]?.part ?? 0]?.startSeconds === null
      ? splitSentences(spoken, language)
      : [cueSentence(spoken, own, language)];
  });
  return { format: 'earshot-transcript', version: 1, language, durationSeconds, speakerCount: null, sentences };
}

/** The cues of subtitles with their own lines at the times when they are spoken; without cues that were not found. */
export function captionsOfCues(
  { parts, words }: AlignedScript,
  { language, durationSeconds }: Pick<Transcript, 'language' | 'durationSeconds'>,
): NamedCaption[] {
  const limits = captionLimits(language);
  const shown = new Set<number>();
  const cues = wordsByPart(words).flatMap((own): (SpokenCaption & { voice: string | null })[] => {
    const found = own.filter(({ matched }) => matched);
    const [first, last] = [found[0], found.at(-1)];
    const part = parts[first?.part ?? 0];
    // Of a cue that is said in two places, the first has its lines.
    if (!first || !last || !part || shown.has(first.part)) return [];
    shown.add(first.part);
    const cells = part.lines.reduce((sum, line) => sum + cellsOf(line, limits), 0);
    const times = { spokenFrom: first.startSeconds, spokenTo: last.endSeconds };
    return [{ lines: part.lines, voice: part.voice, speaker: null, cells, ...times }];
  });
  return timeCaptions(cues, limits, durationSeconds).map((caption, index) => ({
    ...caption,
    voice: cues[index]?.voice ?? null,
  }));
}

/** Runs of words of the same cue or paragraph. */
function wordsByPart(words: readonly AlignedWord[]): AlignedWord[][] {
  const runs: AlignedWord[][] = [];
  for (const word of words)
    if (runs.at(-1)?.[0]?.part === word.part) runs.at(-1)?.push(word);
    else runs.push([word]);
  return runs;
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
