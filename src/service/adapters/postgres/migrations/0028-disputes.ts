import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Disputes by their own id, and the payment and the dispute of a ledger entry. A dispute from before has the id of its
 * payment until the provider names it again; entries from before get their origin from their note. The trigger does
 * the same for entries of the version before, which knows no origins; the next one drops it.
 */
const statements = `
create table payment_disputes (
  id text not null,
  payment_id text not null references payments (id),
  status text not null check (status in ('open', 'won', 'lost')),
  cents bigint not null check (cents >= 0),
  created_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  primary key (payment_id, id)
);
insert into payment_disputes (id, payment_id, status, cents, decided_at)
  select id, id, dispute, disputed_cents, case when dispute <> 'open' then clock_timestamp() end
  from payments where dispute is not null;

alter table ledger add column payment_id text, add column dispute_id text;

create function payment_of_note(kind text, note text) returns text language sql immutable as $$
  select case kind
    when 'purchase' then substring(note from '^(pay_[A-Za-z0-9]+)$')
    when 'adjustment' then substring(note from '^(?:refund of )?(pay_[A-Za-z0-9]+)(?: is (?:no longer )?disputed)?$')
  end
$$;
create function dispute_of_note(kind text, note text) returns text language sql immutable as $$
  select case when note like '% disputed' then payment_of_note(kind, note) end
$$;

alter table ledger disable trigger ledger_is_append_only;
update ledger set payment_id = payment_of_note(kind, note), dispute_id = dispute_of_note(kind, note)
  where payment_of_note(kind, note) is not null;
alter table ledger enable trigger ledger_is_append_only;
create index ledger_by_payment on ledger (payment_id, position) where payment_id is not null;

create function ledger_knows_its_payment() returns trigger language plpgsql as $$
begin
  if new.payment_id is null then
    new.payment_id := payment_of_note(new.kind, new.note);
    new.dispute_id := dispute_of_note(new.kind, new.note);
  end if;
  return new;
end
$$;
create trigger ledger_knows_its_payment before insert on ledger for each row execute function ledger_knows_its_payment();
`;

export const disputes: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};
