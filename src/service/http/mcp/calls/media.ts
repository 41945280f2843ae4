import * as Type from 'typebox/type';
import { createOptionsParser } from '../../../../library/core/checks/schema.ts';
import { stretchWords } from '../../../../library/contract/transcript-window.ts';
import { peaksRecord } from '../../interface/records.ts';
import type { PeaksView } from '../../../rules/files/peaks.ts';
import { type Call, reading } from './call.ts';
import { fileId } from './files.ts';
import { waitField } from './waiting.ts';
import { peaksAnswer, transcriptAnswer } from './answer-schemas.ts';
import type { DialectDeps } from '../../interface/dialect-deps.ts';

const GetTranscript = Type.Object(
  {
    file_id: fileId,
    from: Type.Optional(Type.Number({ minimum: 0, default: 0, description: 'Seconds' })),
    to: Type.Optional(Type.Number({ minimum: 0, description: 'Seconds. Default: from + 300' })),
    detail: Type.Optional(Type.Enum(['concise', 'full'], { default: 'concise', description: 'full: with every word' })),
  },
  { additionalProperties: false },
);
const usualWaitSeconds = 10;
const GetPeaks = Type.Object(
  {
    file_id: fileId,
    level: Type.Optional(
      Type.Unsafe<5 | 50 | 500>({ type: 'integer', enum: [5, 50, 500], description: 'Bins a second' }),
    ),
    first: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'First bin' })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 2000, default: 600, description: 'Number of bins' })),
    wait: Type.Optional(waitField(usualWaitSeconds)),
  },
  { additionalProperties: false },
);

interface AskedTranscript {
  file_id: string;
  from?: number;
  to?: number;
  detail?: 'concise' | 'full';
}

interface AskedPeaks {
  file_id: string;
  level?: 5 | 50 | 500;
  first?: number;
  count?: number;
  wait?: number;
}

/** Calls that read a transcript or a waveform. */
export function mediaCalls({ service }: DialectDeps): readonly Call[] {
  const parseTranscript = createOptionsParser<AskedTranscript>('get_transcript', GetTranscript);
  const parsePeaks = createOptionsParser<AskedPeaks>('get_peaks', GetPeaks);
  return [
    {
      name: 'get_transcript',
      title: 'Read a transcript',
      description:
        'The sentences of a transcript (a JSON output of transcribe_audio, align_script or remove_fillers) in a ' +
        'window of time, with speakers.',
      inputSchema: GetTranscript,
      outputSchema: transcriptAnswer,
      group: 'files',
      usual: true,
      annotations: reading,
      async run(given, { account }) {
        const { file_id: id, from = 0, to = null, detail = 'concise' } = parseTranscript(given, 'json');
        const window = await service.transcripts.window(account, id, { from, to, detail });
        return { ...stretchWords(window), data: window };
      },
    },
    {
      name: 'get_peaks',
      title: 'Get a waveform',
      description:
        'The waveform of a file: with level, the loudest sample of each bin; without, its length and loudest sample.',
      inputSchema: GetPeaks,
      outputSchema: peaksAnswer,
      group: 'labels',
      usual: true,
      annotations: reading,
      async run(given, { account, signal }) {
        const {
          file_id: id,
          wait = usualWaitSeconds,
          level = null,
          first = 0,
          count = 600,
        } = parsePeaks(given, 'json');
        const view = await service.peaks.get(account, id, { waitSeconds: wait, level, first, count }, signal);
        const { status, durationSeconds, peak } = view;
        const text =
          status === 'ready'
            ? `${durationSeconds} s; the loudest sample is ${peak} of full scale.${binWords(view.bins)}`
            : status === 'none'
              ? 'The file has no sound.'
              : 'The waveform is being made; call get_peaks again.';
        return { text, data: peaksRecord(view) };
      },
    },
  ];
}

/** The loudest sample of each bin, in hundredths of full scale: " 50 bins a second from bin 0: 3 7 12". */
function binWords(bins: PeaksView['bins']): string {
  if (bins === null || bins.count === 0) return '';
  const { level, first, count, data } = bins;
  const loudest = Array.from({ length: count }, (_, at) =>
    Math.round((Math.max(-data.readInt8(2 * at), data.readInt8(2 * at + 1)) / 127) * 100),
  );
  return ` ${level} bins a second from bin ${first}, the loudest sample of each in % of full scale: ${loudest.join(' ')}`;
}
