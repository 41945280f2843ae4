import { EarshotError } from '../../core/errors/errors.ts';
import { defineTool } from '../declare/define.ts';
import { inputs, options } from './options.ts';

const lossyFormats: readonly string[] = ['mp3', 'm4a', 'ogg', 'opus'];

export const convertAudio = defineTool({
  id: 'convert_audio',
  slug: 'convert',
  aliases: ['extract-audio', 'encode', 'transcode'],
  typed: {
    commands: { resample: '--sample-rate $ --format {own}', downmix: '--channels mono --format {own}' },
  },
  title: 'Convert',
  summary: 'Convert to MP3, WAV, M4A, FLAC, OGG or Opus',
  description: 'Converts the sound of an audio or video file to MP3, WAV, M4A, FLAC, OGG or Opus.',
  shown: {
    purpose: 'convert',
    place: 1,
    usualForAssistants: true,
    next: 6,
    sign: '<path d="M4 7v18M9 11v10"/><path class="m" d="M12.500 16h7m-3-4 4 4-4 4"/><path d="M25 7v18M29 11v10"/>',
    further: ['fit_peaks', 'fix_phase'],
    translations: {
      de: {
        title: 'Umwandeln',
        summary: 'MP3, WAV, M4A, FLAC, Ogg, Opus',
        description: 'Wandelt den Ton einer Audio- oder Videodatei in MP3, WAV, M4A, FLAC, OGG oder Opus um.',
        examples: [
          'In MP3 umwandeln',
          'In Opus umwandeln, mono mit 48 kbit/s',
          'Beide Kanäle einer Aufnahme behalten, die in Mono verstummt; einer wird umgepolt',
          'Einen Ordner von Aufnahmen umwandeln, zwei zugleich',
        ],
      },
    },
  },
  timeLine: 'same',
  runsInTab: true,
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  preview: { mayDiffer: null },
  inputs,
  options,
  passes: { measuring: 1, converting: 8 },
  examples: [
    { description: 'Convert to MP3', command: 'convert interview.wav' },
    {
      description: 'Convert to mono Opus at 48 kbit/s',
      command: 'convert interview.wav --format opus --bitrate-kbps 48 --channels mono -o interview.opus',
    },
    {
      description: 'Keep both channels of a recording that is silent in mono, one of them turned over',
      command: 'convert interview.wav --format wav --fix-phase -o fixed.wav',
    },
    {
      description: 'Convert a folder of recordings, two at a time',
      command: 'convert recordings/*.wav --format flac --jobs 2 -o converted/',
    },
  ],
  optionRules: { bitrate_kbps: { field: 'format', values: lossyFormats, required: false } },
  check(options) {
    if (options.bitrate_kbps !== undefined && !lossyFormats.includes(options.format)) {
      throw new EarshotError(
        'bad_request',
        'Expected bitrate_kbps only for mp3, m4a, ogg or opus ' +
          `but received it for ${options.format}, which has no bitrate to choose`,
        {
          details: { field: 'bitrate_kbps', expected: 'nothing', received: String(options.bitrate_kbps) },
        },
      );
    }
  },
  plan(facts, options) {
    const notes = facts.file_id.hasVideo ? [`The picture is dropped: ${options.format} holds sound only`] : [];
    const shape = [options.sample_rate === undefined ? '' : `${options.sample_rate} Hz`, options.channels ?? ''].filter(
      (part) => part !== '',
    );
    return {
      steps: [
        ...(options.fix_phase ? ['Turn channels over that cancel each other'] : []),
        ...(shape.length === 0 ? [] : [`Convert to ${shape.join(', ')}`]),
        ...(options.fit_peaks ? ['Lower the level where peaks lie above full scale'] : []),
        `Encode as ${options.format}`,
      ],
      notes,
    };
  },
  inWords: ({ format, sampleRate, channels, bitrateKbps }) =>
    [
      format,
      `${sampleRate} Hz`,
      ['', 'mono', 'stereo'][channels] ?? `${channels} channels`,
      ...(bitrateKbps === null ? [] : [`${bitrateKbps} kbit/s`]),
    ].join(', '),
  run: () => import('./run.ts'),
});
