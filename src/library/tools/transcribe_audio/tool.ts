import { count } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { languageName } from '../declare/in-words.ts';
import { refuseLanguage } from '../declare/refusals.ts';
import { inputs, options } from './options.ts';
import { formats, checkAsked, saidOf, speakerBounds } from './rules.ts';

export const transcribeAudio = defineTool({
  id: 'transcribe_audio',
  slug: 'transcribe',
  aliases: ['subtitles', 'stt', 'whisper'],
  typed: {
    commands: {
      translate: '--translate',
      diarize: '--speaker-labels --captions rttm',
      diarise: '--speaker-labels --captions rttm',
    },
  },
  title: 'Transcribe',
  summary: 'Write down what is said, with times and speakers',
  description:
    'Writes down what is said, with the time of every word and who said it: as JSON, as SubRip and WebVTT subtitles, ' +
    'and as plain text.',
  shown: {
    purpose: 'words',
    place: 1,
    usualForAssistants: true,
    next: 1,
    sign: '<path class="m" d="M14 8h15"/><path d="M4 10v12M9 6v20"/><path d="M14 16h15M14 24h9"/>',
    further: [
      'speakers',
      'min_speakers',
      'max_speakers',
      'speaker_channels',
      'voices',
      'captions',
      'caption_profile',
      'karaoke',
      'sound_events',
    ],
    translations: {
      de: {
        title: 'Verschriftlichen',
        summary: 'Jedes Wort mit Zeit und Sprecher',
        description:
          'Schreibt auf, was gesagt wird, mit der Zeit jedes Wortes und wer es sagt: als JSON, als Untertitel ' +
          '(SubRip, WebVTT) und als Text.',
        examples: [
          'Ein Transkript neben die Aufnahme schreiben, in vier Formaten',
          'Nur Untertitel, und jeden Satz gleich sehen',
          'Mitlesen, was ins Mikrofon gesprochen wird, Satz für Satz',
          'Ein deutsches Interview ohne die Füllwörter aufschreiben',
          'Englische Untertitel zu einem deutschen Film',
          'Namen, die schwer zu verstehen sind, aus einer Datei mit einem in jeder Zeile',
          'Untertitel für Menschen, die nicht hören: mit [Musik], [Applaus], [Hund bellt]',
          'Auch Untertitel für einen Sender und ein Dokument',
          'Namen statt Nummern, nach Stimmen, die `earshot voices add` kennt',
          'Zwei Menschen, jeder mit eigenem Mikrofon',
        ],
      },
    },
  },
  timeLine: 'own',
  runsInTab: true,
  work: { cpuPerSecond: 1, memoryMib: 800, models: 'speech', encodesPictures: false, transcriptOf: 'input' },
  preview: null,
  inputs,
  options,
  formats,
  live: 'sentences as they are finished',
  passes: {
    reading: 0.2,
    'telling speakers apart': 5,
    'comparing voices': 8,
    'comparing again': 2,
    transcribing: 100,
    'placing words': 30,
    listening: 2,
  },
  writesText: true,
  examples: [
    { description: 'Write a transcript beside the recording, in four formats', command: 'transcribe interview.wav' },
    { description: 'Only subtitles, and see each sentence at once', command: 'transcribe talk.mp4 -o talk.srt --live' },
    {
      description: 'Follow what is said into the microphone, sentence by sentence',
      command: 'transcribe - --live --language en -o talk.srt',
    },
    {
      description: 'Write down a German interview without the fillers',
      command: 'transcribe interview.wav --language de --verbatim false',
    },
    { description: 'English subtitles of a German film', command: 'transcribe film.mp4 --translate -o film.srt' },
    {
      description: 'Names that are hard to hear, from a file with one on each line',
      command: 'transcribe call.wav --vocabulary names.txt',
    },
    {
      description: 'Subtitles for people who cannot hear: with [music], [applause], [dog barking]',
      command: 'transcribe film.mp4 --sound-events -o film.srt',
    },
    {
      description: 'Also captions for a broadcaster and a document',
      command: 'transcribe film.mp4 --captions ttml,docx',
    },
    {
      description: 'Names in place of numbers, by voices that `earshot voices add` knows',
      command: 'transcribe meeting.wav --voices Anna,Ben',
    },
    {
      description: 'Two people, each with a microphone of their own',
      command: 'transcribe call.wav --speaker-channels',
    },
  ],
  check: checkAsked,
  plan(_, parsed) {
    const { language, verbatim, translate, vocabulary, speaker_labels, speaker_channels, sound_events } = parsed;
    const { voices, captions } = parsed;
    return {
      steps: [
        language === undefined ? 'Detect the language' : `Take ${language} as the language`,
        `Write down ${translate ? 'in English ' : ''}what is said${verbatim ? '' : ', without fillers'}`,
        ...(vocabulary === undefined ? [] : [`Listen for ${vocabulary.length} names and terms`]),
        ...(!speaker_labels
          ? []
          : speaker_channels
            ? ['Tell speakers apart by their channels']
            : [`Tell ${saidOf(speakerBounds(parsed))} speakers apart`]),
        ...(voices === undefined ? [] : ['Look for known voices among the speakers']),
        ...(captions === undefined ? [] : [`Write captions as ${captions.join(', ')} too`]),
        ...(sound_events ? ['Tell what else is heard: music, applause, sirens, ringing, thunder, animals'] : []),
      ],
      notes: [],
      refusals: refuseLanguage(language),
    };
  },
  unavailable: async (glance = false) => (await import('./availability.ts')).missingWeights(glance),
  inWords({ recogniser, language, translatedFrom, words, speakerCount, soundEvents, voices = [] }) {
    const known = voices.filter(({ name }) => name !== null).length;
    const speakers = speakerCount === null ? [] : [count(speakerCount, 'speaker')];
    if (voices.length > 0) speakers.push(`${known} known by voice`);
    const from = translatedFrom === undefined ? '' : ` from ${languageName(translatedFrom)}`;
    const sounds = soundEvents === undefined ? [] : [count(soundEvents, 'other sound')];
    return [recogniser.title, `${languageName(language)}${from}`, count(words, 'word'), ...speakers, ...sounds].join(
      ', ',
    );
  },
  run: () => import('./run.ts'),
});
