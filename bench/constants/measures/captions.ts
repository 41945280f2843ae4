// Sentences and captions of transcripts, by what makes captions hard to read; and sentences of texts whose ends are
// known, one after the other without their blank lines.
import type { Transcript, TranscriptSentence, TranscriptWord } from '../../../src/library/contract/transcript.ts';
import { joinParts } from '../../../src/library/speech/transcript/sentences/join-parts.ts';
import { splitSentences } from '../../../src/library/speech/transcript/sentences/split.ts';
import type { Caption } from '../../../src/library/speech/transcript/write/caption.ts';
import { captionsOf } from '../../../src/library/speech/transcript/write/captions.ts';
import { toPlainText } from '../../../src/library/speech/transcript/write/plain-text.ts';
import { openSpeech } from '../../../src/library/speech/speech-sound.ts';
import { transcribe } from '../../../src/library/speech/transcribe/transcribe.ts';
import { runHere } from '../../../src/library/dsp/denoise/suppressor/pieces.ts';
import { saidSentences } from '../../../test/fixtures/said-sentences.ts';
import { spoken } from '../../../test/library/speech/transcript/spoken.ts';
import { conversations } from '../../speech/conversation-cases.ts';
import { figure, type Measure } from '../figures.ts';
import { folderFor, samples, stored } from '../store.ts';
import { acousticRecordings, fluentRecordings, heardIn, signal } from './spoken-material.ts';

/** Netflix's and the BBC's guides, whatever the source says now. */
const limits = { cellsPerSecond: 20, shortest: 0.833, longest: 7.001, line: 42, flicker: 0.5, gap: 0.083 };
/** Words that belong to what follows them: no line should end with one. */
const weak =
  /^(?:a|an|the|of|to|in|on|at|for|with|from|by|and|or|but|that|my|your|his|her|its|our|their|is|are|was|i|you|he|she|we|they)$/iu;

/** Two conversations of three and five people, transcribed with speakers. */
const talkTranscripts = (): Promise<Transcript[]> =>
  stored('transcripts/conversations', async () => {
    const folder = folderFor('conversations');
    const cases = conversations(samples, folder, 1).filter((_, index) => [3, 7].includes(index));
    const transcripts: Transcript[] = [];
    for (const { path } of cases) {
      const options = { verbatim: true, speakerLabels: true, modelsDir: undefined, pass: () => () => undefined };
      transcripts.push(
        (await transcribe(openSpeech(path), { ...options, fanOut: runHere(signal), signal })).transcript,
      );
    }
    return transcripts;
  });

const wordsOf = (sentences: readonly TranscriptSentence[]): TranscriptWord[] =>
  sentences.flatMap(({ words }) => words).toSorted((a, b) => a.startSeconds - b.startSeconds);

/** Of a sentence that has none, or of a language without blanks, the cells are not known here. */
const cellsOf = ({ lines }: Caption): number => lines.reduce((sum, line) => sum + line.length, 0);

export const measure: Measure = async () => {
  const recordings = [...(await acousticRecordings()), ...(await fluentRecordings())];
  const transcripts = [...(await Promise.all(recordings.map(heardIn))), ...(await talkTranscripts())];
  const counts = { captions: 0, fast: 0, short: 0, long: 0, flicker: 0, weakEnds: 0, orphans: 0, uneven: 0, late: 0 };
  let [sentenceCount, paragraphs, standing] = [0, 0, 0];
  for (const given of transcripts) {
    const sentences = splitSentences(joinParts(wordsOf(given.sentences), given.language), given.language);
    const transcript = { ...given, sentences };
    sentenceCount += sentences.length;
    paragraphs += toPlainText(transcript).split('\n\n').length;
    const captions = captionsOf(transcript);
    const ends = new Set(sentences.map(({ text }) => text.split(' ').at(-1)));
    for (const [index, caption] of captions.entries()) {
      const { startSeconds, endSeconds, lines } = caption;
      const seconds = endSeconds - startSeconds;
      counts.captions += 1;
      standing += seconds;
      if (cellsOf(caption) / seconds > limits.cellsPerSecond) counts.fast += 1;
      if (seconds < limits.shortest) counts.short += 1;
      if (seconds > limits.longest) counts.long += 1;
      const gap = (captions[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY) - endSeconds;
      if (gap > limits.gap + 0.002 && gap < limits.flicker - 0.002) counts.flicker += 1;
      if (gap >= 0 && gap < limits.gap - 0.002) counts.late += 1;
      for (const line of lines) if (weak.test(line.split(' ').at(-1) ?? '')) counts.weakEnds += 1;
      const [first, second] = lines;
      if (second !== undefined && Math.abs(first!.length - second.length) > limits.line / 2) counts.uneven += 1;
      const last = lines.at(-1)!.split(' ').at(-1);
      if (cellsOf(caption) < 0.3 * limits.line && !ends.has(last)) counts.orphans += 1;
    }
  }
  for (const { sound } of recordings) sound.close();
  const right = saidSentences.filter(
    ([language, text, expected]) =>
      JSON.stringify(splitSentences(spoken(text), language).map((sentence) => sentence.text)) ===
      JSON.stringify(expected),
  ).length;
  return [
    figure(`texts divided rightly of ${saidSentences.length}`, right, '', 'higher'),
    figure('sentences', sentenceCount, '', 'lower'),
    figure('paragraphs', paragraphs, '', 'lower'),
    figure('captions', counts.captions, '', 'lower'),
    figure('over 20 cells a second', counts.fast, '', 'lower'),
    figure('under 5/6 s', counts.short, '', 'lower'),
    figure('over 7 s', counts.long, '', 'lower'),
    figure('gaps that flicker', counts.flicker, '', 'lower'),
    figure('gaps under two pictures', counts.late, '', 'lower'),
    figure('lines that end with a weak word', counts.weakEnds, '', 'lower'),
    figure('uneven lines', counts.uneven, '', 'lower'),
    figure('orphans', counts.orphans, '', 'lower'),
    figure('captions stand', standing, 's', 'higher', 1),
  ];
};
