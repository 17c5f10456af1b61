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
create index outcomes_of_voice on outcomes (principal, experience_id, at, id) where principal is not null;
create index outcomes_of_principal on outcomes (principal, at) where principal is not null;
create index changes_of_solution on outcomes (experience_id, at, id) where principal is null;

-- What the outcomes of an experience add up to, written in the transaction that adds an outcome. The weights are
-- those of the voices as of `as_of`: `no` is the part of the voices that rather say that it does not work.
create table standings (
    experience_id text primary key references experiences (id) on delete cascade,
    revision integer not null unique,
    worked integer not null,
    worked_with_changes integer not null,
    did_not_work integer not null,
    voices integer not null,
    strong_voices integer not null,
    strong_for real not null,
    strong_against real not null,
    strong_no real not null,
    weak_for real not null,
    weak_against real not null,
    weak_no real not null,
    as_of integer not null,
    last_at integer not null,
    worked_at integer,
    failed_at integer,
    strong_worked_at integer,
    strong_failed_at integer
) strict, without rowid;

-- The last revision of a standing. Transactions take it one after the other, in the order of their commits.
create table standings_head (
    id integer primary key check (id = 1),
    revision integer not null
) strict;
insert into standings_head (id, revision) values (1, 0);

-- The user or the key that shared an experience; null: nobody knows.
alter table experiences add column author text;
-- Whether the outcomes that are reported with a key count in full from the beginning.
alter table api_keys add column trusted integer not null default 0;
