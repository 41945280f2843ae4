import { createHash, randomBytes } from 'node:crypto';

/** Object keys know no capital letters, ids do. */
const ofId = (fileId: string): string => createHash('sha256').update(fileId).digest('hex').slice(0, 32);
const fresh = (): string => randomBytes(4).toString('hex');

/** Where the parts of an upload lie once joined: the same whoever asks, so that a join can be repeated. */
export const joinedKey = (fileId: string): string => `originals/${ofId(fileId)}`;

/** A place of its own for every attempt: two that arrive at once must not overwrite each other. */
export const arrivalKey = (fileId: string): string => `originals/${ofId(fileId)}-${fresh()}`;

/** Whoever draws a file's waveform draws the same one. */
export const peaksKeyOf = (fileId: string): string => `peaks/${ofId(fileId)}`;
