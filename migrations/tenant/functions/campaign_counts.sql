-- A campaign's contacts by status, as the API and the events show them.
create or replace function campaign_counts(progress campaign_progress) returns jsonb language sql stable as $$
  select jsonb_build_object('total', progress.total, 'pending', progress.pending, 'in_progress', progress.in_progress,
    'completed', progress.completed, 'failed', progress.failed, 'skipped', progress.skipped)
$$;
