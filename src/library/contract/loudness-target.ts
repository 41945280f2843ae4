// The loudness targets that users choose by name, for every tool with one.
import { EarshotError } from '../core/errors/errors.ts';

/** Integrated loudness (BS.1770-5) of the named targets, LUFS. */
const targetsLufs = { podcast: -16, streaming: -14, broadcast: -23 } as const;

/** Greatest true peak of every output with a loudness target, dBTP (EBU R 128; podcast platforms ask for it). */
export const targetCeilingDbtp = -1;

/** Range of custom_lufs, LUFS. */
export const customLufsRange = { minimum: -30, maximum: -5 } as const;

/** The rule that `checkCustomLufs` checks, for the published schema. */
export const customLufsRule = { custom_lufs: { field: 'target', values: ['custom'], required: true } } as const;

interface TargetOptions {
  readonly target: string;
  readonly custom_lufs?: number;
}

/** The loudness to reach, LUFS; for named targets. */
export function targetLufsOf(options: {
  readonly target: keyof typeof targetsLufs | 'custom';
  readonly custom_lufs?: number;
}): number {
  return options.target === 'custom' ? (options.custom_lufs ?? targetsLufs.podcast) : targetsLufs[options.target];
}

/** custom_lufs goes with target custom, and only with it. Throws bad_request otherwise. */
export function checkCustomLufs({ target, custom_lufs }: TargetOptions): void {
  if (target === 'custom' && custom_lufs === undefined) {
    const expected = `number between ${customLufsRange.minimum} and ${customLufsRange.maximum}`;
    throw new EarshotError(
      'bad_request',
      `Expected ${expected} for custom_lufs because target is custom, but received nothing`,
      { details: { field: 'custom_lufs', expected, received: 'nothing' } },
    );
  }
  if (target !== 'custom' && custom_lufs !== undefined) {
    throw new EarshotError(
      'bad_request',
      `Expected target custom when custom_lufs is given but received target ${target}`,
      { details: { field: 'target', expected: 'custom', received: target } },
    );
  }
}
