import { count } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { languageName } from '../declare/in-words.ts';
import { fieldRules, inputs, options } from './options.ts';

export const alignScript = defineTool({
  id: 'align_script',
  slug: 'align-script',
  title: 'Align a script',
  summary: 'Find when each word of a script is said',
  description: 'Finds when each word of a script is spoken in a recording.',
  shown: {
    purpose: 'words',
    place: 2,
    next: null,
    sign: '<path d="M5 13v6M12 9v14M19 11v10M27 8v16"/><path class="m" d="M2 29h6M12 29h6M22 29h8"/>',
    translations: {
      de: {
        title: 'Manuskript ausrichten',
        summary: 'Wann jedes Wort eines Textes gesagt wird',
        description: 'Findet, wann jedes Wort eines Manuskripts in einer Aufnahme gesprochen wird.',
        examples: ['Ein Manuskript zeitlich an seine Aufnahme legen'],
      },
    },
  },
  timeLine: 'own',
  runsInTab: true,
  work: { cpuPerSecond: 1, memoryMib: 800, models: 'speech', encodesPictures: false, transcriptOf: 'input' },
  preview: null,
  inputs,
  options,
  fieldRules,
  formats: ['json', 'srt', 'vtt'],
  passes: { decoding: 0.2, transcribing: 100, aligning: 30 },
  writesText: true,
  examples: [{ description: 'Time a script to its recording', command: 'align-script speech.wav --script speech.txt' }],
  plan() {
    return {
      steps: ['Find the words of the script in the recording', 'Write the transcript with their times'],
      notes: [],
    };
  },
  inWords({ recogniser, language, words, matchedWords, leftOut, seemsOtherRecording }) {
    const unsaid = leftOut.reduce((sum, passage) => sum + passage.words, 0);
    const tried = count(words - unsaid, 'word');
    return (
      `${recogniser === null ? 'without a recogniser' : recogniser.title}, ${languageName(language)}, ` +
      (seemsOtherRecording ? "the script seems to be another recording's: " : '') +
      (matchedWords === null ? tried : `${matchedWords} of ${tried} found`) +
      (unsaid > 0 ? `, ${unsaid} others left out` : '')
    );
  },
  run: () => import('./run.ts'),
});
