import type { Migration } from 'kysely/migration';
import { first } from './0001-first.ts';
import { jobContents } from './0002-job-contents.ts';

/** In the order of their names. A migration that has been released is never changed. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-first': first,
  '0002-job-contents': jobContents,
};
