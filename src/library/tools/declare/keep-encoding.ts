// The option of editing tools to copy packets of sound, and what it does not go with.
import * as Type from 'typebox/type';
import type { Refusal } from '../../contract/tool-facts.ts';
import type { InputFacts } from '../../contract/tool-inputs.ts';
import { defaulted } from './options.ts';

export const keepEncodingName = 'keep_encoding';

export const keepEncodingOption = defaulted(
  Type.Boolean({
    default: false,
    description:
      'Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet, ' +
      'edges move to the nearest packet (of FLAC and ALAC they stay)',
  }),
);

/** Containers whose packets can be kept; the run looks at the codec. */
const keptFormats: readonly string[] = ['mp3', 'm4a', 'opus', 'ogg', 'flac'];

/** Refuses files of which no packets can be kept. */
export const refuseEncodings = (files: readonly InputFacts[]): Refusal[] =>
  files
    .filter(({ format, hasVideo }) => hasVideo || !keptFormats.includes(format))
    .slice(0, 1)
    .map(({ format, hasVideo }) => ({
      code: 'wrong_file_type',
      message:
        'Expected MP3, M4A, Opus, Ogg Vorbis or FLAC without a picture with keep_encoding but received ' +
        `${format}${hasVideo ? ' with a picture' : ''}: leave it out, the sound is encoded again then`,
    }));

/** Refuses an option that changes samples. @param received such as "crossfade_ms 20" */
export const refuseChange = (received: string | null, expected: string): Refusal[] =>
  received === null
    ? []
    : [{ code: 'bad_request', message: `Expected ${expected} with keep_encoding but received ${received}` }];

const lossyNote =
  'Packets are copied, so nothing is lost again; where two stretches meet, both end at the nearest packet (of ALAC ' +
  'where they did), and the result lists each edge';

const flacNote =
  'Frames are copied, and sound around an edge is encoded again, without loss. The copy states no checksum of all its ' +
  'samples (MD5), and where stretches meet its blocks have several lengths';

/** The note of a plan. */
export const keptNote = ([first]: readonly InputFacts[]): string => (first?.format === 'flac' ? flacNote : lossyNote);
