-- A public widget key stands in the source of every page that uses it, so it is no secret: its text is kept, and its owner
-- can copy it again. Of keys made before this, and of secret ones, only the hash is known.
alter table widget_keys add column public_key text;
alter table widget_keys add constraint widget_keys_secret_stays_hashed check (kind = 'public' or public_key is null);
