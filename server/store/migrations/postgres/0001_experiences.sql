-- The commit-ordered counters, one for each family of searchable rows: every write of one takes the
-- next value inside its own transaction and holds the row until it commits, so "everything after N" is
-- never a moving target.
create table heads (
    family text primary key,
    seq bigint not null
);
insert into heads (family, seq) values ('experiences', 0);

-- What the database knows about itself: its id, and the model that made its vectors.
create table database_facts (
    name text primary key,
    value text not null
);

-- Ids are compared byte by byte, whatever the language of the database.
create table experiences (
    seq bigint primary key,
    id text collate "C" not null unique,
    title text not null,
    problem_description text not null,
    root_cause text,
    solution text not null,
    context text,
    keywords text not null,          -- a JSON array of strings
    query_count bigint not null default 0,
    created_at bigint not null,      -- microseconds since 1970, UTC
    updated_at bigint not null
) with (fillfactor = 90);
create index experiences_updated_at on experiences (updated_at);

create table experience_vectors (
    experience_id text collate "C" primary key references experiences (id) on delete cascade,
    model text not null,
    vector bytea not null            -- dimensions (u16), then an f32 scale and one i8 per dimension for each passage
);
create index experience_vectors_model on experience_vectors (model);

create table idempotency_keys (
    key text collate "C" primary key,
    fingerprint bytea not null,      -- SHA-256 of what was submitted under the key
    experience_id text collate "C" not null references experiences (id) on delete cascade,
    created_at bigint not null
);
create index idempotency_keys_created_at on idempotency_keys (created_at);
create index idempotency_keys_experience on idempotency_keys (experience_id);
