// What calls that wait for an end have in common.
import * as Type from 'typebox/type';
import type { LinkedFile } from '../../../../library/contract/assistant-answers.ts';
import type { StoredFile } from '../../../rules/files/stored-file.ts';

/** As long as REST's own waits; clients time out after a minute. */
export const mostWaitSeconds = 40;
/** Default wait of a call that starts a job. */
export const usualWaitSeconds = 25;

/** The field of a call that waits; `instructions` says what it is. */
export const waitField = (usual: number) => Type.Number({ minimum: 0, maximum: mostWaitSeconds, default: usual });

/** The file behind a download link. */
export const linkOf = ({ filename, contentType, sizeBytes }: StoredFile, uri: string): LinkedFile => ({
  name: filename,
  uri,
  contentType,
  sizeBytes,
  description: 'Works for 15 minutes, without credentials',
});
