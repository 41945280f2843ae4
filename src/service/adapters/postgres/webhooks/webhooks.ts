import { sql, type Selectable } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { WebhookDelivery, WebhookEndpoint, WebhookStore } from '../../../rules/webhooks/webhook-store.ts';
import { lockName } from '../../advisory-locks.ts';
import { decodeCursor, toPage } from '../database/cursor.ts';
import type { Database } from '../database/database.ts';
import type { WebhookDeliveryTable } from '../database/webhook-schema.ts';
import { createWebhookQueue, endPending } from './webhook-queue.ts';

const endpointColumns = [
  'id',
  'url',
  'description',
  'events',
  'enabled',
  'offReason',
  'failingSince',
  'createdAt',
] as const satisfies readonly (keyof WebhookEndpoint)[];

const deliveryColumns = [
  'position',
  'id',
  'type',
  'subject',
  'status',
  'tries',
  'nextAt',
  'triedAt',
  'answerStatus',
  'answerMs',
  'answer',
  'createdAt',
] as const satisfies readonly (keyof WebhookDelivery | 'position')[];

type DeliveryRow = Pick<Selectable<WebhookDeliveryTable>, (typeof deliveryColumns)[number]>;

const toDelivery = ({ position: _position, nextAt, ...row }: DeliveryRow): WebhookDelivery => ({
  ...row,
  nextAt: row.status === 'pending' ? nextAt : null,
});

export const createWebhookStore = (database: Database): WebhookStore => ({
  ...createEndpoints(database),
  ...createLog(database),
  ...createWebhookQueue(database),
});

function createEndpoints(
  database: Database,
): Pick<WebhookStore, 'create' | 'list' | 'get' | 'update' | 'remove' | 'rotate'> {
  const { kysely } = database;
  return {
    async create({ events, ...endpoint }, mostOfAccount) {
      return database.transaction(async (trx) => {
        await lockName(trx, 'webhooks', endpoint.accountId);
        const { count } = await trx
          .selectFrom('webhook_endpoints')
          .select((with_) => with_.fn.countAll<number>().as('count'))
          .where('accountId', '=', endpoint.accountId)
          .executeTakeFirstOrThrow();
        if (count >= mostOfAccount)
          throw new EarshotError('limit_exceeded', `Expected at most ${mostOfAccount} webhooks of an account`, {
            nextAction: 'Delete one first.',
          });
        return await trx
          .insertInto('webhook_endpoints')
          .values({ ...endpoint, events: [...events] })
          .returning(endpointColumns)
          .executeTakeFirstOrThrow();
      });
    },
    async list(accountId) {
      return await kysely
        .selectFrom('webhook_endpoints')
        .select(endpointColumns)
        .where('accountId', '=', accountId)
        .orderBy('createdAt')
        .orderBy('id')
        .execute();
    },
    async get(accountId, id) {
      const row = await kysely
        .selectFrom('webhook_endpoints')
        .select(endpointColumns)
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row ?? null;
    },
    async update(accountId, id, { url, description, events, enabled }) {
      return database.transaction(async (trx) => {
        const row = await trx
          .updateTable('webhook_endpoints')
          .set({
            id,
            ...(url === undefined ? {} : { url }),
            ...(description === undefined ? {} : { description }),
            ...(events === undefined ? {} : { events: [...events] }),
            // An address that was switched off for its failures has a new day.
            ...(enabled === undefined
              ? {}
              : enabled
                ? { enabled, offReason: null, failingSince: null }
                : { enabled, offReason: sql<'asked'>`coalesce(off_reason, 'asked')` }),
          })
          .where('accountId', '=', accountId)
          .where('id', '=', id)
          .returning(endpointColumns)
          .executeTakeFirst();
        if (row !== undefined && enabled === false) await endPending(trx, id);
        return row ?? null;
      });
    },
    async remove(accountId, id) {
      const { numDeletedRows } = await kysely
        .deleteFrom('webhook_endpoints')
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async rotate(accountId, id, secret, besideSeconds) {
      const row = await kysely
        .updateTable('webhook_endpoints')
        .set({
          secret,
          earlierSecret: sql<string>`secret`,
          earlierUntil: sql<Date>`clock_timestamp() + ${besideSeconds} * interval '1 second'`,
        })
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .returning(endpointColumns)
        .executeTakeFirst();
      return row ?? null;
    },
  };
}

function createLog({ kysely }: Database): Pick<WebhookStore, 'addTest' | 'deliveries' | 'replay'> {
  return {
    async addTest(endpointId, eventId) {
      const row = await kysely
        .insertInto('webhook_deliveries')
        .values({
          id: eventId,
          endpointId,
          type: 'webhook.test',
          // None waits for another one.
          subject: eventId,
          data: JSON.stringify({ id: endpointId }),
        })
        .returning(deliveryColumns)
        .executeTakeFirstOrThrow();
      return toDelivery(row);
    },
    async deliveries(endpointId, page) {
      const place = decodeCursor(page.cursor);
      const rows = await kysely
        .selectFrom('webhook_deliveries')
        .select(deliveryColumns)
        .where('endpointId', '=', endpointId)
        .$if(place !== null, (query) => query.where('position', '<', place!.at))
        .orderBy('position', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, ({ position, id }) => ({ at: position, id }), toDelivery);
    },
    async replay(endpointId, eventId) {
      const ended = sql<boolean>`status <> 'pending'`;
      const row = await kysely
        .updateTable('webhook_deliveries')
        .set({
          status: 'pending',
          tries: sql<number>`case when ${ended} then 0 else tries end`,
          nextAt: sql<Date>`clock_timestamp()`,
          givesUpAt: sql<Date>`case when ${ended} then clock_timestamp() + interval '1 day' else gives_up_at end`,
        })
        .where('endpointId', '=', endpointId)
        .where('id', '=', eventId)
        .returning(deliveryColumns)
        .executeTakeFirst();
      return row === undefined ? null : toDelivery(row);
    },
  };
}
