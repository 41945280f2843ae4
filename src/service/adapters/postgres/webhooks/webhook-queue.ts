import { sql, type Transaction } from 'kysely';
import type { ClaimedDelivery, WebhookStore } from '../../../rules/webhooks/webhook-store.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/schema.ts';

const now = sql<Date>`clock_timestamp()`;
const inSeconds = (seconds: number) => sql<Date>`clock_timestamp() + ${seconds} * interval '1 second'`;

/** What is due, and what became of it. */
export function createWebhookQueue(database: Database): Pick<WebhookStore, 'claim' | 'settle'> {
  const { kysely } = database;
  return {
    async claim({ most, mostOfEndpoint, leaseSeconds, inFlight }) {
      const { rows } = await sql<ClaimedDelivery>`
        with due as (
          select found.position from webhook_endpoints endpoint
          left join unnest(${[...inFlight.keys()]}::text[], ${[...inFlight.values()]}::int[]) flying (id, count)
            on flying.id = endpoint.id
          cross join lateral (
            select position, row_number() over () as turn from (
              select position from webhook_deliveries own
              where endpoint_id = endpoint.id and status = 'pending' and next_at <= ${now}
                and (leased_until is null or leased_until <= ${now})
                and not exists (
                  select from webhook_deliveries earlier
                  where earlier.endpoint_id = own.endpoint_id and earlier.subject = own.subject
                    and earlier.status = 'pending' and earlier.position < own.position)
              order by next_at, position limit greatest(0, ${mostOfEndpoint}::int - coalesce(flying.count, 0))
            ) own
          ) found
          where endpoint.enabled order by found.turn, found.position limit ${most}
        ), taken as (
          update webhook_deliveries set tries = tries + 1, leased_until = ${inSeconds(leaseSeconds)}
          where position in (select position from due) and status = 'pending'
            and (leased_until is null or leased_until <= ${now})
          returning *
        )
        select taken.position, endpoint_id as "endpointId", account_id as "accountId", url, taken.id, type, data, tries,
          array_remove(array[secret, case when earlier_until > ${now} then earlier_secret end], null) as secrets,
          taken.created_at as "createdAt"
        from taken join webhook_endpoints endpoint on endpoint.id = endpoint_id order by taken.position`.execute(
        kysely,
      );
      return rows;
    },

    async settle({ position, endpointId, tries }, { ok, gone, status, milliseconds, answer }, terms) {
      return database.transaction(async (trx) => {
        // The endpoint before its deliveries, as everywhere.
        const endpoint = await trx
          .selectFrom('webhook_endpoints')
          .select('enabled')
          .where('id', '=', endpointId)
          .forNoKeyUpdate()
          .executeTakeFirst();
        const row = await trx
          .updateTable('webhook_deliveries')
          .set({
            // The last try is made when the day is over.
            status: ok
              ? 'delivered'
              : sql<'pending' | 'failed'>`case when gives_up_at <= ${now} then 'failed' else 'pending' end`,
            nextAt: sql<Date>`least(${inSeconds(terms.waitSeconds)}, greatest(gives_up_at, ${now}))`,
            leasedUntil: null,
            triedAt: now,
            answerStatus: status,
            answerMs: milliseconds,
            answer,
          })
          .where('position', '=', position)
          .where('tries', '=', tries)
          .where('status', '=', 'pending')
          .returning('id')
          .executeTakeFirst();
        if (endpoint === undefined || row === undefined) return false;
        if (ok) {
          await trx
            .updateTable('webhook_endpoints')
            .set({ failingSince: null })
            .where('id', '=', endpointId)
            .where('failingSince', 'is not', null)
            .execute();
          return false;
        }
        const after = await trx
          .updateTable('webhook_endpoints')
          .set({ failingSince: sql<Date>`coalesce(failing_since, clock_timestamp())` })
          .where('id', '=', endpointId)
          .returning(sql<boolean>`failing_since <= ${inSeconds(-terms.switchOffSeconds)}`.as('isLong'))
          .executeTakeFirstOrThrow();
        if (!endpoint.enabled || !(gone || after.isLong)) return false;
        await trx
          .updateTable('webhook_endpoints')
          .set({ enabled: false, offReason: gone ? 'gone' : 'failing' })
          .where('id', '=', endpointId)
          .execute();
        await endPending(trx, endpointId);
        return true;
      });
    },
  };
}

/** What is on its way to an address that is off. */
export async function endPending(trx: Transaction<Tables>, endpointId: string): Promise<void> {
  await trx
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', leasedUntil: null })
    .where('endpointId', '=', endpointId)
    .where('status', '=', 'pending')
    .execute();
}
