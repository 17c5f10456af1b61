-- What was asked, without secrets and personal data, in one spelling: by day and family of records.
create table questions (
    day bigint not null,            -- days since 1970, UTC
    family text not null check (family in ('experiences', 'knowledge', 'libraries')),
    text text collate "C" not null,
    asked bigint not null,
    unanswered bigint not null,     -- times when nothing relevant was found
    results bigint not null,        -- sum of what was found
    relevance double precision,                -- of the best result of the last time, 0 to 1, where it is known
    last_at bigint not null,        -- microseconds since 1970, UTC
    primary key (day, family, text)
);

-- How often and how quickly was answered, texts that are not kept included.
create table question_days (
    day bigint not null,
    family text not null check (family in ('experiences', 'knowledge', 'libraries')),
    asked bigint not null,
    unanswered bigint not null,
    others bigint not null,         -- of these, how many are not among the questions
    primary key (day, family)
);

create table question_latencies (
    day bigint not null,
    family text not null check (family in ('experiences', 'knowledge', 'libraries')),
    bucket bigint not null,         -- which of the fixed bounds it kept
    asked bigint not null,
    primary key (day, family, bucket)
);

-- Records by the day on which they came.
create index entries_created_at on entries (created_at);
create index docs_files_created_at on docs_files (created_at);
