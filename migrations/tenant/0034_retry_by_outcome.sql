-- Retries that depend on how an attempt ended (decision 0080). The release before retries by the campaign's own values.
-- Functions d3ac3d2c484b
alter table campaigns add column retry_by_outcome jsonb check (jsonb_typeof(retry_by_outcome) = 'object');
