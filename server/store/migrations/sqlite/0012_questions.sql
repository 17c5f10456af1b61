-- What was asked, without secrets and personal data, in one spelling: by day and family of records.
create table questions (
    day integer not null,            -- days since 1970, UTC
    family text not null check (family in ('experiences', 'knowledge', 'libraries')),
    text text not null,
    asked integer not null,
    unanswered integer not null,     -- times when nothing relevant was found
    results integer not null,        -- sum of what was found
    relevance real,                  -- of the best result of the last time, 0 to 1, where it is known
    last_at integer not null,        -- microseconds since 1970, UTC
    primary key (day, family, text)
) strict, without rowid;

-- How often and how quickly was answered, texts that are not kept included.
create table question_days (
    day integer not null,
    family text not null check (family in ('experiences', 'knowledge', 'libraries')),
    asked integer not null,
    unanswered integer not null,
    others integer not null,         -- of these, how many are not among the questions
    primary key (day, family)
) strict, without rowid;

create table question_latencies (
    day integer not null,
    family text not null check (family in ('experiences', 'knowledge', 'libraries')),
    bucket integer not null,         -- which of the fixed bounds it kept
    asked integer not null,
    primary key (day, family, bucket)
) strict, without rowid;

-- Records by the day on which they came.
create index entries_created_at on entries (created_at);
create index docs_files_created_at on docs_files (created_at);
