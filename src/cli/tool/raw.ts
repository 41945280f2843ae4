// `--raw s16le,16000,1`: inputs are samples without a file around them.
import { createReadStream, existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { badValue } from '../../library/core/checks/schema.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { type RawFormat, rawFormats } from '../../library/media/wave/header.ts';
import type { RawSound } from '../../library/runtime/files/sound-inputs.ts';
import { nameOf, standardStream } from './standard-streams.ts';

/** What is said of raw samples. */
type RawForm = Pick<RawSound, 'format' | 'sampleRate' | 'channels'>;

/**
 * The form in --raw; channels may be left out: one.
 * @throws EarshotError bad_request
 */
export function rawForm(text: string): RawForm {
  const [, format = '', rate = '', channels = '1'] = /^(\w+),(\d{1,6})(?:,(\d{1,2}))?$/u.exec(text.trim()) ?? [];
  if (!rawFormats.includes(format as RawFormat))
    throw badValue(
      'raw',
      `format, rate and channels such as s16le,16000,1, the format one of ${rawFormats.join(', ')}`,
      text,
    );
  return { format: format as RawFormat, sampleRate: Number(rate), channels: Number(channels) };
}

/** What outputs are named after: raw samples are read as WAV. */
export function rawName(file: string): string {
  const known = nameOf(file);
  return join(dirname(known), `${basename(known, extname(known))}.wav`);
}

/** @throws EarshotError bad_request, not_found */
export function rawInput(file: string, form: RawForm): RawSound {
  if (file !== standardStream && !existsSync(file)) throw new EarshotError('not_found', `There is no file ${file}`);
  return {
    raw: file === standardStream ? process.stdin : createReadStream(file),
    name: basename(rawName(file)),
    ...form,
  };
}
