-- Keys that let clients in. The key itself is never here, only its SHA-256.
create table api_keys (
    id text collate "C" primary key,
    name text not null,
    prefix text not null,            -- what lists show: the key's beginning, up to its secret part
    hash bytea not null unique,      -- SHA-256 of the whole key
    scope text not null check (scope in ('read', 'write', 'admin')),
    created_at bigint not null,      -- microseconds since 1970, UTC, like every time below
    expires_at bigint,               -- null: never
    last_used_at bigint,
    revoked_at bigint                -- null: not revoked
);
create unique index api_keys_name on api_keys (name) where revoked_at is null;
