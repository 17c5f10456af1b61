-- Whether experiences helped. Rows are only added: a report by a caller, or the note that the solution was
-- changed, after which earlier reports count half.
create table outcomes (
    id text primary key,
    experience_id text not null references experiences (id) on delete cascade,
    outcome text not null check (outcome in
        ('worked', 'worked_with_changes', 'did_not_work', 'not_applicable', 'solution_changed')),
    at integer not null,             -- microseconds since 1970, UTC, like every time below
    principal text,                  -- whose voice it is; null: none, the solution was changed
    tier real,                       -- 0 to 1: how far the principal was trusted then
    evidence text check (evidence in ('person', 'agent', 'observed')),
    recall_id text,
    note text check (length(note) <= 1000),
    idempotency_key text unique,
    check ((principal is null) = (outcome = 'solution_changed'))
) strict, without rowid;
create index outcomes_of_experience on outcomes (experience_id, at, id);
create index outcomes_of_principal on outcomes (principal, at) where principal is not null;

-- What the outcomes of an experience add up to: computed anew from them with every outcome.
create table standings (
    experience_id text primary key references experiences (id) on delete cascade,
    worked integer not null,
    worked_with_changes integer not null,
    did_not_work integer not null,
    voices integer not null,
    is_contested integer not null,
    strong_for real not null,        -- sums of the voices' weights, as of `as_of`
    strong_against real not null,
    weak_for real not null,
    weak_against real not null,
    as_of integer not null,
    last_at integer not null,
    last_worked_at integer,
    last_failed_at integer,
    updated_at integer not null
) strict, without rowid;
create index standings_updated_at on standings (updated_at);

-- The user or the key that shared an experience; null: nobody knows.
alter table experiences add column author text;
-- Whether the outcomes that are reported with a key count in full from the beginning.
alter table api_keys add column trusted integer not null default 0;
