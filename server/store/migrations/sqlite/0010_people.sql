-- People: who signs in to the web pages, and who did what.
create table users (
    id text primary key,
    name text not null,
    folded_name text not null unique, -- the name in lower case, as no two may differ only in case
    password text,                    -- argon2id in PHC's form; null: no password lets this user in
    role text not null check (role in ('read', 'write', 'admin')),
    projects text,                    -- JSON list; null: every project
    created_at integer not null,      -- microseconds since 1970, UTC, like every time below
    disabled_at integer,              -- null: not disabled
    last_seen_at integer
) strict, without rowid;

-- Of one who signed in. The token is never here, only its SHA-256.
create table web_sessions (
    hash blob primary key,
    user_id text references users (id) on delete cascade,
    api_key_id text references api_keys (id) on delete cascade,
    created_at integer not null,
    last_used_at integer not null,
    expires_at integer not null,
    check ((user_id is null) <> (api_key_id is null))
) strict, without rowid;
create index web_sessions_user on web_sessions (user_id, created_at) where user_id is not null;
create index web_sessions_key on web_sessions (api_key_id, created_at) where api_key_id is not null;

-- JSON list of the projects that a key is limited to; null: every project.
alter table api_keys add column projects text;

create table audit (
    id integer primary key,
    at integer not null,
    actor_kind text not null check (actor_kind in ('user', 'key', 'anonymous', 'local')),
    actor_id text,
    actor_name text,
    action text not null,
    subject_kind text,
    subject_id text,
    details text check (length(details) <= 500)
) strict;
