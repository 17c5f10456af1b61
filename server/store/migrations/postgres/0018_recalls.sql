-- Which experiences an agent was shown for a query. There are no texts in it.
create table recalls (
    id text collate "C" primary key,
    at bigint not null,              -- microseconds since 1970, UTC, like every time below
    principal text not null,         -- who asked, as in outcomes
    fingerprint_hash text not null,  -- equal for equal queries
    shown text not null,             -- JSON list of ids of experiences, in their order
    withheld text not null,          -- JSON list of those that matched and were not shown
    policy text not null,            -- the rule by which something is withheld
    propensity double precision not null -- 0 to 1: how likely this rule shows what was shown
);
create index recalls_at on recalls (at);

-- How a failing command came to work again, or did not. It has names of programs and no texts.
create table episodes (
    id text collate "C" primary key,
    at bigint not null,              -- when it was reported
    principal text not null,         -- who reported it, as in outcomes
    recall_id text,                  -- what the agent was shown; null: nothing
    host text not null,              -- the program in which the agent runs
    family text not null,            -- the program that failed
    failures bigint not null,
    recovered boolean not null,
    ms bigint not null,              -- from the first failure to the end
    commands bigint not null         -- commands and edits in between
);
create index episodes_at on episodes (at);
create index episodes_of_principal on episodes (principal, at);
