-- Experiences can be changed, hidden and deleted. A hidden or deleted one keeps its row, at a new
-- `seq`, so that every index hears of it; what is deleted goes for good some weeks later.
alter table experiences add column version integer not null default 1;
alter table experiences add column changed_at integer;   -- when its texts last changed; null: never
alter table experiences add column hidden_at integer;    -- null: not hidden
alter table experiences add column deleted_at integer;   -- null: not deleted

-- Lists, in their orders and with their totals.
create index experiences_by_age on experiences (created_at, id)
    where hidden_at is null and deleted_at is null;
create index experiences_by_count on experiences (query_count, created_at, id)
    where hidden_at is null and deleted_at is null;
create index experiences_hidden on experiences (created_at, id)
    where hidden_at is not null and deleted_at is null;
create index experiences_deleted on experiences (deleted_at) where deleted_at is not null;
-- Who removes a record looks for its keys.
create index idempotency_keys_experience on idempotency_keys (experience_id);
