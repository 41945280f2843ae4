// Forms of columns that the tables' types share.
import type { ColumnType, Generated } from 'kysely';

/** Set by the database: clock_timestamp() at the insert. */
export type CreatedAt = Generated<Date>;
/** Read as values, written as JSON text, so that arrays do not become PostgreSQL arrays. */
export type Json<Value> = ColumnType<Value, string, string>;
/** The same, nullable. */
export type JsonOrNull<Value> = ColumnType<Value | null, string | null | undefined, string | null>;

/** The columns of a record. `Special`: those that a record does not have, or that are written in another form. */
export type TableOf<Item, Special> = Omit<Item, keyof Special> & Special;
