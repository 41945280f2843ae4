import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import { badValue } from '../../../../library/core/checks/schema.ts';
import type { Page, PageRequest } from '../../../rules/shared/page.ts';
import type { Tables } from './schema.ts';

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

/** Condition for the rows after `place`, newest first. */
const olderThan = ({ at, id }: PageEnd): RawBuilder<boolean> =>
  sql<boolean>`(created_at, id) < ('epoch'::timestamptz + ${at}::bigint * interval '1 microsecond', ${id})`;

/**
 * A page of a query's rows, newest first.
 * @param query of one table with an id and a time of creation
 * @throws EarshotError bad_request for an invalid cursor
 */
export async function newestPage<Table extends keyof Tables, Row extends { readonly id: string }, Item>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  page: PageRequest,
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  const place = decodeCursor(page.cursor);
  // Creation in microseconds: a Date has only milliseconds, which several rows may share.
  const rows = (await (place === null ? query : query.where(olderThan(place)))
    .select(sql<number>`(extract(epoch from created_at) * 1000000)::bigint`.as('micros'))
    .orderBy(sql`created_at`, 'desc')
    .orderBy(sql`id`, 'desc')
    .limit(page.limit + 1)
    .execute()) as (Row & { micros?: number })[];
  return toPage(
    rows,
    page,
    ({ micros = 0, id }) => ({ at: micros, id }),
    (row) => {
      // Copying a row without it would take more time than everything else.
      delete row.micros;
      return toItem(row);
    },
  );
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
