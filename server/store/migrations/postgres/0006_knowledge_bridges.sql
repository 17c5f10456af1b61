-- Keys under which entries were added, so that a repeated call stores nothing twice.
create table entry_idempotency_keys (
    key text collate "C" primary key,
    fingerprint bytea not null,      -- SHA-256 of what was added under the key
    entry_id text collate "C" not null references entries (id) on delete cascade,
    created_at bigint not null
);
create index entry_idempotency_keys_created_at on entry_idempotency_keys (created_at);
create index entry_idempotency_keys_entry on entry_idempotency_keys (entry_id);

-- Entries that experiences were promoted to; an experience is promoted once.
create table entry_experiences (
    entry_id text collate "C" primary key references entries (id) on delete cascade,
    experience_id text collate "C" not null unique references experiences (id) on delete cascade
);

-- When the entry last changed, as of the moment when it said what its note says.
alter table entry_notes add column entry_updated_at bigint not null;
