import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Disputes of payments: the remaining credits are frozen until the bank has decided. */
const statements = `
alter table payments
  add column dispute text check (dispute in ('open', 'won', 'lost')),
  add column disputed_cents bigint not null default 0 check (disputed_cents >= 0),
  add column frozen_credits bigint not null default 0 check (frozen_credits >= 0);
`;

export const paymentDisputes: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};
