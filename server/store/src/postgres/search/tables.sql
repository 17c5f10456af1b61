-- What the database searches experiences with, made only where search.engine = "postgres": from the
-- records, in the order of their seq, up to that of the family 'experience_search' in heads. Nothing
-- refers to the records themselves, so that nobody who writes them waits for it.

create table experience_search (
    id text collate "C" primary key,
    terms tsvector not null,         -- our terms, without positions
    frequencies bytea not null,      -- how often each stands there; search/candidates.rs writes and reads it
    length integer not null,         -- in terms, repeats included
    passages integer not null        -- how many vectors there are of it
);
-- Hashes cannot be compressed.
alter table experience_search alter column frequencies set storage external;
-- What is pending would be read by every query.
create index experience_search_terms on experience_search using gin (terms) with (fastupdate = off);

-- A row for each vector of a record, L2-normalised. Their index is made when the tables are first full.
create table experience_passages (
    experience_id text collate "C" not null references experience_search (id) on delete cascade,
    embedding halfvec not null
);
create index experience_passages_experience on experience_passages (experience_id);

-- How many records have a term.
create table experience_terms (
    term text collate "C" primary key,
    records bigint not null
) with (fillfactor = 70);

-- One row: what all records come to, and what they were made with.
create table experience_search_state (
    format integer not null,         -- of terms and frequencies
    model text,                      -- that made the vectors
    dimensions integer,
    records bigint not null,
    length bigint not null,
    with_vector bigint not null
);
