import { createHash, randomBytes } from 'node:crypto';

/** Hashed, because ids have upper-case letters and object keys must not. */
const ofId = (fileId: string): string => createHash('sha256').update(fileId).digest('hex').slice(0, 32);
const fresh = (): string => randomBytes(4).toString('hex');

/** Key of a joined multipart upload: always the same, so that joining can be repeated. */
export const joinedKey = (fileId: string): string => `originals/${ofId(fileId)}`;

/** A fresh key for every attempt: concurrent uploads must not overwrite each other. */
export const arrivalKey = (fileId: string): string => `originals/${ofId(fileId)}-${fresh()}`;

/** Key of a file's peaks: always the same, because they do not depend on who makes them. */
export const peaksKeyOf = (fileId: string): string => `peaks/${ofId(fileId)}`;
