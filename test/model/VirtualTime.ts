/**
 * An account's database with a clock that a test sets. The product's statements run unchanged: functions in a schema
 * that is searched before PostgreSQL's own replace the clock, in triggers and column defaults too.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountEntry } from "../../src/tenancy/AccountDirectory.ts"
import { DatabaseServer } from "../../src/tenancy/DatabaseServer.ts"

/**
 * Tables that a reset keeps: what an account is set up with, rows that exist only once, and the audit log, the
 * ledger of consents and the chain of receipts, from which no role may delete.
 */
const kept = `{agents,agent_contents,agent_faqs,agent_playbooks,agent_tools,agent_versions,faqs,faq_vocabulary,faq_words,phone_numbers,playbooks,tools,budget,event_log,schema_migrations,schema_functions,audit_entries,consents,receipts,receipt_seals,rule_contents}`

/**
 * Each reading of the clock is a microsecond after the previous one, so that rows show the order in which they were
 * written. `statement_timestamp` returns the last reading: it must stay constant while an index is searched by it.
 */
const schema = `
create schema virtual;
create table virtual.clock (at timestamptz not null);
insert into virtual.clock values (pg_catalog.now());
create sequence virtual.ticks minvalue 0 start 0;
create function virtual.clock_timestamp() returns timestamptz language plpgsql volatile as $$
begin return (select at from virtual.clock) + pg_catalog.nextval('virtual.ticks') * interval '1 microsecond'; end $$;
create function virtual.statement_timestamp() returns timestamptz language plpgsql stable as $$
begin return (select c.at + t.last_value * interval '1 microsecond' from virtual.clock c, virtual.ticks t); end $$;
create function virtual.now() returns timestamptz language sql stable as 'select virtual.statement_timestamp()';
create function virtual.move_clock(moment timestamptz) returns void language sql as $$
  update virtual.clock set at = greatest(moment, virtual.statement_timestamp());
  select pg_catalog.setval('virtual.ticks', 0) $$;
-- Everything but what the account is set up with; the lists of a campaign go with it.
do $$ begin
  execute format('create function virtual.begin(moment timestamptz, zone text) returns void language sql as %L', (
    select string_agg(format('delete from public.%I;', tablename), ' ' order by tablename <> 'campaigns')
    from pg_tables where schemaname = 'public' and tablename <> all('${kept}'))
    || ' update public.budget set in_use = 0, day = ''-infinity'', calls_today = 0, time_zone = zone;'
    || ' update virtual.clock set at = moment; select pg_catalog.setval(''virtual.ticks'', 0)');
end $$;
grant usage on schema virtual to parley_tenant;
grant select, update on virtual.clock to parley_tenant;
grant usage, select, update on sequence virtual.ticks to parley_tenant;
-- So that the next history can begin with empty tables.
grant truncate on all tables in schema public to parley_tenant;
-- A default is bound to its function when it is made.
do $$ declare d record; begin
  for d in select ad.adrelid::regclass as tbl, a.attname, pg_get_expr(ad.adbin, ad.adrelid) as expression
    from pg_attrdef ad join pg_attribute a on a.attrelid = ad.adrelid and a.attnum = ad.adnum
    where a.attgenerated = '' and pg_get_expr(ad.adbin, ad.adrelid) ~ '(now|clock_timestamp|statement_timestamp)\\(\\)'
  loop
    execute format('alter table %s alter column %I set default %s', d.tbl, d.attname,
      regexp_replace(d.expression, '(now|clock_timestamp|statement_timestamp)\\(\\)', 'virtual.\\1()'));
  end loop;
end $$`

/** Runs before the first connection, since a connection keeps the search path with which it began. */
export const makeVirtual = Effect.fn("VirtualTime.makeVirtual")(function* ({ database }: AccountEntry) {
  const server = yield* DatabaseServer
  const owner = PgClient.layer({ url: server.urlOf(database), maxConnections: 1 })
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe(`do $virtual$ begin execute $script$${schema}$script$; end $virtual$`)
    yield* sql`alter database ${sql(database)} set search_path = virtual, public, pg_catalog`
  }).pipe(Effect.provide(owner, { local: true }))
})

/** Moves the clock forward, never back. */
export const moveClock = Effect.fnUntraced(function* (at: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select virtual.move_clock(${new Date(at)})`
})

/** Resets the account to the state before its first call, at another moment. */
export const begin = Effect.fnUntraced(function* (at: number, zone: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select virtual.begin(${new Date(at)}, ${zone})`
})
