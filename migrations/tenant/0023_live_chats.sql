-- What a process needs to go on with a conversation in writing that another process began. The row is deleted when the
-- call ends. The words are in calls.
create table live_chats (
  call_id uuid primary key references calls (id) on delete cascade,
  -- SHA-256 of the secret with which the page resumes the conversation.
  secret_hash bytea not null unique,
  session text not null,
  greeting text,
  -- The ids that the page gave to the visitor's messages, in the order of the transcript.
  message_ids text[] not null default '{}',
  -- Since when the conversation has no process and waits for its page; null while a process conducts it.
  waits_since timestamptz
);

-- Functions 58614f91860d: calls_end deletes the row.
