-- A receipt for each dial, in a chain of hashes for the whole account (decision 0082). A sealer chains the decisions after
-- their commit. Times and hashes: src/domain/Receipt.ts.
-- Functions edda6a3bb094
create table receipt_seals (
  number bigint primary key,
  -- The decisions of the seal: `count` from `first_seq` on.
  first_seq bigint not null unique,
  count integer not null check (count > 0),
  -- When the first and the last of these calls began.
  first_at timestamptz not null,
  last_at timestamptz not null,
  sealed_at timestamptz not null,
  -- The hash of the seal before; 32 zero bytes for the first one.
  previous bytea not null check (octet_length(previous) = 32),
  -- SHA-256 over the leaves, of 32 bytes each. The leaves are null once all decisions of the seal are deleted.
  root bytea not null check (octet_length(root) = 32),
  leaves bytea,
  hash bytea not null unique check (octet_length(hash) = 32)
);
create index receipt_seals_by_time on receipt_seals (last_at);
create table receipts (
  seq bigint primary key,
  call_id uuid not null unique,
  -- Random bytes that the leaf contains, so that it says nothing about a deleted decision. Null once the call is deleted.
  nonce bytea check (octet_length(nonce) = 16)
);
-- The content of rule packs by which numbers were dialled, by the SHA-256 of its canonical JSON.
create table rule_contents (
  digest text primary key,
  packs jsonb not null
);
revoke update, delete on receipt_seals, rule_contents from parley_tenant;
revoke delete on receipts from parley_tenant;

alter table dial_records add column sealed boolean not null default false;
create index dial_records_unsealed on dial_records (id) where not sealed;

\ir functions/keep_receipts.sql
create trigger keep_receipts before update or delete on receipts for each row execute function keep_receipts();
create trigger keep_receipts before update or delete on receipt_seals for each row execute function keep_receipts();
create trigger keep_receipts before update or delete on rule_contents for each row execute function keep_receipts();
create trigger keep_receipts before update on dial_records for each row execute function keep_receipts();

\ir functions/prune_receipts.sql

\ir functions/campaigns_gone.sql
