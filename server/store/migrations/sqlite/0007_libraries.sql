-- Documentation libraries. Files are kept by what they hold, so that versions share those that did
-- not change, with their chunks and vectors; a version is the set of its files, replaced in one step.
create table libraries (
    id integer primary key autoincrement,
    name text not null unique collate nocase,
    description text not null,
    default_version text not null,
    created_at integer not null      -- microseconds since 1970, UTC, like every time below
) strict;

create table library_versions (
    id integer primary key autoincrement,
    library_id integer not null references libraries (id) on delete cascade,
    version text not null,
    source text not null,            -- as it was typed, without user and password
    revision text,                   -- the commit, where the source is a git repository
    files integer not null,
    chunks integer not null,
    tokens integer not null,
    ingested_at integer not null,
    unique (library_id, version)
) strict;

create table docs_files (
    id integer primary key autoincrement,
    path text not null,
    hash blob not null,              -- SHA-256 of path, contents and how they were read
    created_at integer not null,
    unique (hash)
) strict;

create table version_files (
    version_id integer not null references library_versions (id) on delete cascade,
    file_id integer not null references docs_files (id),
    primary key (version_id, file_id)
) strict, without rowid;
create index version_files_file on version_files (file_id);

-- Counts every change of what belongs to which version, so that programs notice it.
create table library_edition (
    only_row integer primary key check (only_row = 1),
    number integer not null
) strict;
insert into library_edition (only_row, number) values (1, 0);

create table chunk_head (
    only_row integer primary key check (only_row = 1),
    seq integer not null
) strict;
insert into chunk_head (only_row, seq) values (1, 0);

-- A chunk whose file is gone stays as an empty row, so that every index hears of it.
create table chunks (
    seq integer primary key,
    id text not null unique,         -- made of the file's id, the kind and the place in the file
    file_id integer references docs_files (id),
    kind text not null check (kind in ('code', 'info')),
    title text not null,
    description text,
    language text,
    text text not null,
    line integer not null,
    tokens integer not null,
    created_at integer not null
) strict;
create index chunks_file on chunks (file_id);

create table chunk_vectors (
    chunk_id text primary key references chunks (id) on delete cascade,
    model text not null,
    vector blob not null             -- as in experience_vectors
) strict, without rowid;
