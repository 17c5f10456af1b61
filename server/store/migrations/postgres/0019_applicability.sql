-- Where experiences apply: packages, runtimes, tools and platforms, with versions.

-- What the author stated: a JSON list; null: it is read from the texts.
alter table experiences add column applies text;
-- Where it worked or failed, as far as that concerns the experience: JSON.
alter table outcomes add column environment text;
create index outcomes_with_environment on outcomes (experience_id, at, id) where environment is not null and tier >= 0.5;

-- What is known of each experience: read from its texts or stated, and what outcomes add. Derived from the columns
-- above and from the texts.
create table applicability (
    experience_id text primary key references experiences (id) on delete cascade,
    revision bigint not null unique,
    applies text not null,           -- a JSON list
    observed text not null           -- a JSON list
);

-- The last revision, which transactions take one after the other, and the `seq` up to which the texts of experiences
-- were read, with the version of what read them.
create table applicability_head (
    id integer primary key check (id = 1),
    revision bigint not null,
    read_up_to bigint not null,
    reader bigint not null
);
insert into applicability_head (id, revision, read_up_to, reader) values (1, 0, 0, 0);
