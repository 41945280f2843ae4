import { sql } from 'kysely';
import type { JsonObject } from '../../../../library/core/json.ts';

/** Longer results are left out of lists, to keep these small. */
const longestListedResult = 32 * 1024;

/** A job's result in a list; null where it is long. */
export const shortResult = sql<JsonObject | null>`case when pg_column_size(result) <= ${sql.lit(longestListedResult)} then result end`;
