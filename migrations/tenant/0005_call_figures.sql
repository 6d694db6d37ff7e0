-- What is known of a call beside its words: the quality of its sound, where Parley carries the packets itself, and who
-- answered it, with the evidence.
alter table calls add column sound jsonb, add column answered_by jsonb;
