-- The knowledge base. Entries have a commit-ordered counter of their own, so that neither index sees
-- gaps where the other family wrote.
create table entry_head (
    only_row integer primary key check (only_row = 1),
    seq integer not null
) strict;
insert into entry_head (only_row, seq) values (1, 0);

create table entries (
    seq integer primary key,
    id text not null unique,         -- a ULID
    type text not null,
    title text not null,
    content text not null,
    tags text not null,              -- a JSON array of strings
    project text,
    context text,
    confidence integer not null check (confidence between 0 and 5),
    status text not null default 'active' check (status in ('active', 'obsolete')),
    memory_type text not null check (memory_type in ('episodic', 'semantic')),
    access_count integer not null default 0,
    last_accessed integer,           -- microseconds since 1970, UTC, like every time below
    created_at integer not null,
    updated_at integer not null
) strict;
create index entries_last_accessed on entries (last_accessed);

create table entry_vectors (
    entry_id text primary key references entries (id) on delete cascade,
    model text not null,
    summary blob not null,           -- as in experience_vectors; the first row is the entry as a whole
    context blob
) strict, without rowid;

create table entry_links (
    id text primary key,             -- a ULID
    source_id text not null references entries (id) on delete cascade,
    target_id text not null references entries (id) on delete cascade,
    relation_type text not null
        check (relation_type in ('related', 'supersedes', 'derived_from', 'contradicts')),
    created_at integer not null,
    unique (source_id, target_id, relation_type),
    check (source_id <> target_id)
) strict, without rowid;
create index entry_links_target on entry_links (target_id);
-- What has no direction is there once.
create unique index entry_links_symmetric
    on entry_links (min(source_id, target_id), max(source_id, target_id), relation_type)
    where relation_type in ('related', 'contradicts');

create table suggestions (
    id text primary key,             -- a ULID
    type text not null check (type in ('link', 'generalize')),
    status text not null default 'pending' check (status in ('pending', 'accepted', 'rejected')),
    -- The two ids of a link, the smaller first: what was decided about two entries is never asked again.
    pair text unique,
    score real not null,
    reason text not null,
    created_at integer not null,
    decided_at integer
) strict, without rowid;
create index suggestions_waiting on suggestions (type, status, score);

-- Without a reference to entries: a suggestion outlives its entries, and says so when it is accepted.
create table suggestion_entries (
    suggestion_id text not null references suggestions (id) on delete cascade,
    entry_id text not null,
    primary key (suggestion_id, entry_id)
) strict, without rowid;
create index suggestion_entries_entry on suggestion_entries (entry_id);
