-- Keys that let clients in. The key itself is never here, only its SHA-256.
create table api_keys (
    id text primary key,
    name text not null,
    prefix text not null,            -- what lists show: the key's beginning, up to its secret part
    hash blob not null unique,       -- SHA-256 of the whole key
    scope text not null check (scope in ('read', 'write', 'admin')),
    created_at integer not null,     -- microseconds since 1970, UTC, like every time below
    expires_at integer,              -- null: never
    last_used_at integer,
    revoked_at integer               -- null: not revoked
) strict, without rowid;
create unique index api_keys_name on api_keys (name) where revoked_at is null;
