-- Keys under which entries were added, so that a repeated call stores nothing twice.
create table entry_idempotency_keys (
    key text primary key,
    fingerprint blob not null,       -- SHA-256 of what was added under the key
    entry_id text not null references entries (id) on delete cascade,
    created_at integer not null
) strict, without rowid;
create index entry_idempotency_keys_created_at on entry_idempotency_keys (created_at);

-- Entries that experiences were promoted to; an experience is promoted once.
create table entry_experiences (
    entry_id text primary key references entries (id) on delete cascade,
    experience_id text not null unique references experiences (id) on delete cascade
) strict, without rowid;

-- When the entry last changed, as of the moment when it said what its note says.
alter table entry_notes add column entry_updated_at integer not null default 0;
update entry_notes set entry_updated_at = (select created_at from entries where id = entry_id);
