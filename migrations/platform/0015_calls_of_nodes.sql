-- What each process advertises to the others (decision 0064).
alter table nodes
  -- The calls that it conducts.
  add column calls integer not null default 0,
  -- The most calls that it conducts; 0 while it takes none from others. Null for releases before this one.
  add column calls_max integer;
