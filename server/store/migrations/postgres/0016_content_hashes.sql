-- Which experience says what: SHA-256 of the normalised texts, so that the same is not shared twice.
-- Older programs write none. So `hashed` says up to which `seq` hashes are known to be right: whoever
-- writes them moves it with `seq`, and what lies behind it is hashed again.
alter table experiences add column content_hash bytea;
create index experiences_content_hash on experiences (content_hash);
alter table heads add column hashed bigint;      -- of experiences only
update heads set hashed = 0 where family = 'experiences';

-- Returns the visible experience that has a hash. As it is volatile it sees what was committed while
-- the statement around it waited for the head.
create function experience_with_hash(wanted bytea) returns text language sql volatile as $$
    select id from experiences
    where content_hash = wanted and coalesce(hidden_at, deleted_at) is null
    order by created_at, id limit 1
$$;
