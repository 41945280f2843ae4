import { defineTool } from '../declare/define.ts';
import { engineName } from '../declare/in-words.ts';
import { keptNote, refuseChange, refuseEncodings } from '../declare/keep-encoding.ts';
import { pictureNotes } from '../declare/picture-notes.ts';
import { refuseLanguage } from '../declare/refusals.ts';
import { fieldRules, inputs, options } from './options.ts';
import { cutsInWords, madeCuts } from './rules.ts';

const doing = { cut: 'Cut', mute: 'Mute', lower: 'Lower' } as const;

export const removeFillers = defineTool({
  id: 'remove_fillers',
  slug: 'remove-fillers',
  title: 'Remove fillers',
  summary: 'Cut out um, uh and words said twice',
  description:
    'Cuts um, uh and repeated words out of a recording, and leaves every other word, breaths and room tone as they ' +
    'were. A video is cut with its picture. The transcript of the result comes along.',
  shown: {
    purpose: 'cut',
    place: 1,
    usualForAssistants: true,
    next: 2,
    sign: '<path class="m" d="m12.500 12.500 7 7m0-7-7 7"/><path d="M4 10v12M9 6v20"/><path d="M23 6v20M28 10v12"/>',
    further: ['fillers', 'breaths', 'mouth_clicks', 'coughs', 'stutters'],
    translations: {
      de: {
        title: 'Füllwörter entfernen',
        summary: 'Ähm, äh und doppelt Gesagtes',
        description:
          'Schneidet Ähm, Äh und wiederholte Wörter heraus und lässt jedes andere Wort, Atmer und Raumklang, wie sie ' +
          'waren. Ein Video wird mit seinem Bild geschnitten. Das Transkript des Ergebnisses kommt mit.',
        examples: [
          'Füllwörter schneiden, und was zweimal gesagt wurde',
          'Sehen, was geschnitten würde',
          'Auch Atmer leiser machen, Schmatzer stumm schalten, Husten und Stottern (h-h-hier) schneiden',
          'Stumm schalten, damit alles an seinem Platz bleibt',
          'Zwei dieser Schnitte machen, mit dem Transkript, das der Probelauf geschrieben hat',
        ],
      },
    },
  },
  timeLine: { cutOut: madeCuts },
  runsInTab: true,
  silent: ({ cuts }) => cuts.filter(({ action }) => action === 'mute'),
  work: { cpuPerSecond: 1, memoryMib: 800, models: 'speech', encodesPictures: true, transcriptOf: 'output' },
  preview: { mayDiffer: 'The language is recognised, and sentences are understood, from the whole recording' },
  inputs,
  options,
  fieldRules,
  passes: {
    reading: 0.2,
    transcribing: 100,
    'placing words': 30,
    'finding fillers': 2,
    measuring: 0.5,
    cutting: 5,
  },
  examples: [
    { description: 'Cut the fillers out, and words that are said twice', command: 'remove-fillers interview.wav' },
    { description: 'See what would be cut', command: 'remove-fillers interview.wav --list-cuts' },
    {
      description: 'Lower the breaths too, mute clicks of the mouth, and cut coughs and stutters (h-h-here)',
      command: 'remove-fillers interview.wav --breaths lower --mouth-clicks mute --coughs cut --stutters cut',
    },
    {
      description: 'Silence them, so that everything stays in its place',
      command: 'remove-fillers interview.wav --fillers mute',
    },
    {
      description: 'Make two of those cuts, with the transcript that the dry run wrote',
      command: 'remove-fillers interview.wav --transcript interview.json --cut-ids \'["c1","c4"]\'',
    },
  ],
  listedIds: { cut_ids: { input: 'transcript_file_id', result: 'cuts' } },
  refuse(_, { keep_encoding, fillers, breaths, mouth_clicks, coughs, stutters }) {
    const soft = { fillers, breaths, mouth_clicks, coughs, stutters };
    const [changed] = Object.entries(soft).filter(([, action]) => action === 'mute' || action === 'lower');
    return keep_encoding && changed ? refuseChange(changed.join(' '), 'sounds that are kept or cut') : [];
  },
  plan(facts, parsed) {
    const { fillers, breaths, mouth_clicks, coughs, stutters } = parsed;
    const sounds = [
      ['breaths', breaths],
      ['clicks of the mouth', mouth_clicks],
      ['coughs', coughs],
      ['stutters', stutters],
    ] as const;
    return {
      steps: [
        ...(facts.transcript_file_id !== undefined ? [] : ['Write down what is said, word for word']),
        `Find fillers${parsed.repeats ? ' and repeated words' : ''}`,
        ...sounds.flatMap(([name, action]) => (action === 'keep' ? [] : [`${doing[action]} ${name}`])),
        parsed.dry_run
          ? 'List the cuts'
          : `${doing[fillers]} ${parsed.cut_ids === undefined ? 'all of them' : `${parsed.cut_ids.length} of them`}`,
      ],
      notes: parsed.keep_encoding ? [keptNote([facts.file_id])] : pictureNotes(facts.file_id),
      refusals: [...(parsed.keep_encoding ? refuseEncodings([facts.file_id]) : []), ...refuseLanguage(parsed.language)],
    };
  },
  inWords: (result) =>
    `${result.recogniser === undefined ? 'by the transcript' : engineName(result.recogniser)}, ${cutsInWords(result)}`,
  run: () => import('./run.ts'),
});
