-- The commit-ordered counter: every write of a searchable row takes the next value inside its own
-- transaction, so "everything after N" is never a moving target.
create table head (
    only_row integer primary key check (only_row = 1),
    seq integer not null
) strict;
insert into head (only_row, seq) values (1, 0);

-- What the database knows about itself: its id, and the model that made its vectors.
create table database_facts (
    name text primary key,
    value text not null
) strict, without rowid;

create table experiences (
    seq integer primary key,
    id text not null unique,
    title text not null,
    problem_description text not null,
    root_cause text,
    solution text not null,
    context text,
    keywords text not null,          -- a JSON array of strings
    query_count integer not null default 0,
    created_at integer not null,     -- microseconds since 1970, UTC
    updated_at integer not null
) strict;
create index experiences_updated_at on experiences (updated_at);

create table experience_vectors (
    experience_id text primary key references experiences (id) on delete cascade,
    model text not null,
    vector blob not null             -- f32 scale, then one i8 per dimension
) strict, without rowid;

create table idempotency_keys (
    key text primary key,
    fingerprint blob not null,       -- SHA-256 of what was submitted under the key
    experience_id text not null references experiences (id) on delete cascade,
    created_at integer not null
) strict, without rowid;
create index idempotency_keys_created_at on idempotency_keys (created_at);
