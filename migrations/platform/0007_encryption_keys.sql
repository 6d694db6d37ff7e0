-- The fingerprints of the encryption keys that the process knows: first the one it seals with, then the one it opens too.
-- Null for a process of an earlier release. `parley rotate-key` asks before it seals anything with another key.
alter table nodes add column encryption_keys text[];
