-- The search tables of experiences; they exist only with search.engine = "postgres". They are derived from
-- the records, in the order of their seq, up to that of the family 'experience_search' in heads. They do
-- not refer to the table of the records, so that writes of records never wait for them.

create table experience_search (
    id text collate "C" primary key,
    terms tsvector not null,         -- this program's terms, without positions
    frequencies bytea not null,      -- how often each term occurs, encoded by the ranking code
    length integer not null,         -- in terms, including repeated ones
    passages integer not null        -- number of vectors of the record
);
-- Hashes cannot be compressed.
alter table experience_search alter column frequencies set storage external;
-- With fastupdate every query would also read the list of pending entries.
create index experience_search_terms on experience_search using gin (terms) with (fastupdate = off);

-- A row for each vector of a record, L2-normalised. Their index is created when the tables are first filled.
create table experience_passages (
    experience_id text collate "C" not null references experience_search (id) on delete cascade,
    embedding halfvec not null
);
create index experience_passages_experience on experience_passages (experience_id);

-- The number of records with a term.
create table experience_terms (
    term text collate "C" primary key,
    records bigint not null
) with (fillfactor = 70);

-- One row: statistics of all records, and the format and model of the tables.
create table experience_search_state (
    format integer not null,         -- of terms and frequencies
    model text,                      -- the model that made the vectors
    dimensions integer,
    records bigint not null,
    length bigint not null,
    with_vector bigint not null
);
