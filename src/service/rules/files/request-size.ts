import { EarshotError } from '../../../library/core/errors/errors.ts';

/** @param most bytes of all files together, sent or fetched */
export const requestTooLarge = (most: number, keyed: boolean): EarshotError =>
  new EarshotError('file_too_large', `Expected at most ${most} bytes in the files of one request but received more`, {
    details: { maxBytes: most },
    nextAction: keyed
      ? 'Upload larger files through the REST API (POST /api/v1/files), in parts.'
      : 'Use a smaller file, or an account: the REST API takes larger ones.',
  });
