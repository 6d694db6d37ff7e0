-- Who set the time of a callback (decision 0091): the agent in the call, or a person through the API. The release before writes
-- none, and null counts as the agent.
alter table contacts add column callback_by text check (callback_by in ('agent', 'person'));
