// The option of editing tools to copy packets of sound with losses, and what it does not go with.
import * as Type from 'typebox/type';
import type { Refusal } from '../../contract/tool-facts.ts';
import type { InputFacts } from '../../contract/tool-inputs.ts';
import { defaulted } from './options.ts';

export const keepEncodingName = 'keep_encoding';

export const keepEncodingOption = defaulted(
  Type.Boolean({
    default: false,
    description:
      'Copy MP3, M4A, Opus and Ogg Vorbis packet by packet instead of encoding it again; where stretches meet, edges ' +
      'move to the nearest packet',
  }),
);

/** Containers whose packets can be kept; the run looks at the codec. */
const keptFormats: readonly string[] = ['mp3', 'm4a', 'opus', 'ogg'];

/** Refuses files of which no packets can be kept. */
export const refuseEncodings = (files: readonly InputFacts[]): Refusal[] =>
  files
    .filter(({ format, hasVideo }) => hasVideo || !keptFormats.includes(format))
    .slice(0, 1)
    .map(({ format, hasVideo }) => ({
      code: 'wrong_file_type',
      message:
        'Expected MP3, M4A, Opus or Ogg Vorbis without a picture with keep_encoding but received ' +
        `${format}${hasVideo ? ' with a picture' : ''}: leave it out, the sound is encoded again then`,
    }));

/** Refuses an option that changes samples. @param received such as "crossfade_ms 20" */
export const refuseChange = (received: string | null, expected: string): Refusal[] =>
  received === null
    ? []
    : [{ code: 'bad_request', message: `Expected ${expected} with keep_encoding but received ${received}` }];

/** The note of a plan. */
export const keptNote =
  'Packets are copied, so nothing is lost again; where two stretches meet, both end at the nearest packet, and the ' +
  'result lists each edge';
