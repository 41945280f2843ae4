import { sql, type RawBuilder } from 'kysely';
import { badValue } from '../../../../library/core/checks/schema.ts';
import type { Page, PageRequest } from '../../../rules/shared/page.ts';

/** The end of a page: a descending number (microseconds, or a position), and the id. */
export interface PageEnd {
  readonly at: number;
  readonly id: string;
}

const form = /^(\d{1,16})\.([A-Za-z0-9_-]{1,100})$/;

function encodeCursor({ at, id }: PageEnd): string {
  return Buffer.from(`${at}.${id}`).toString('base64url');
}

/** @throws EarshotError bad_request for an invalid cursor */
export function decodeCursor(cursor: string | null): PageEnd | null {
  if (cursor === null) return null;
  const match = form.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const at = Number(match?.[1]);
  const id = match?.[2];
  if (id === undefined || !Number.isSafeInteger(at) || encodeCursor({ at, id }) !== cursor)
    throw badValue('cursor', 'nextCursor of a previous page', cursor);
  return { at, id };
}

/** A row's creation in microseconds: a Date has only milliseconds, which several rows may share. */
export const createdMicros: RawBuilder<number> = sql<number>`(extract(epoch from created_at) * 1000000)::bigint`;

/** Condition for the rows after `place`, newest first. */
export const olderThan = ({ at, id }: PageEnd): RawBuilder<boolean> =>
  sql<boolean>`(created_at, id) < ('epoch'::timestamptz + ${at}::bigint * interval '1 microsecond', ${id})`;

/**
 * A page of rows, newest first.
 * @param rows with `createdMicros` as their last column, which is removed; one more than the page has, if there is a
 *   next page
 */
export function toNewestPage<Row extends { readonly id: string; micros?: number }, Item>(
  rows: readonly (Row & { readonly micros: number })[],
  page: PageRequest,
  toItem: (row: Row) => Item,
): Page<Item> {
  const placeOf = ({ micros, id }: Row & { readonly micros: number }): PageEnd => ({ at: micros, id });
  return toPage(rows, page, placeOf, (row: Row) => {
    // Copying a row without it would take more time than everything else.
    delete row.micros;
    return toItem(row);
  });
}

/** @param rows one more than the page has, if there is a next page */
export function toPage<Row, Item>(
  rows: readonly Row[],
  { limit }: PageRequest,
  placeOf: (row: Row) => PageEnd,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? encodeCursor(placeOf(last)) : null;
  return { items: shown.map(toItem), nextCursor };
}
