-- Documentation libraries. Files are kept by what they hold, so that versions share those that did
-- not change, with their chunks and vectors; a version is the set of its files, replaced in one step.
create table libraries (
    id bigint generated always as identity primary key,
    name text collate "C" not null,
    description text not null,
    default_version text collate "C" not null,
    created_at bigint not null       -- microseconds since 1970, UTC, like every time below
);
create unique index libraries_name on libraries (lower(name));

create table library_versions (
    id bigint generated always as identity primary key,
    library_id bigint not null references libraries (id) on delete cascade,
    version text collate "C" not null,
    source text not null,            -- as it was typed, without user and password
    revision text,                   -- the commit, where the source is a git repository
    files bigint not null,
    chunks bigint not null,
    tokens bigint not null,
    ingested_at bigint not null,
    unique (library_id, version)
);

create table docs_files (
    id bigint generated always as identity primary key,
    path text collate "C" not null,
    hash bytea not null,             -- SHA-256 of path, contents and how they were read
    created_at bigint not null,
    unique (hash)
);

create table version_files (
    version_id bigint not null references library_versions (id) on delete cascade,
    file_id bigint not null references docs_files (id),
    primary key (version_id, file_id)
);
create index version_files_file on version_files (file_id);

-- Counts every change of what belongs to which version, so that programs notice it.
create table library_edition (
    only_row integer primary key check (only_row = 1),
    number bigint not null
);
insert into library_edition (only_row, number) values (1, 0);

insert into heads (family, seq) values ('chunks', 0);

-- A chunk whose file is gone stays as an empty row, so that every index hears of it.
create table chunks (
    seq bigint primary key,
    id text collate "C" not null unique,     -- made of the file's id, the kind and the place in the file
    file_id bigint references docs_files (id),
    kind text not null check (kind in ('code', 'info')),
    title text not null,
    description text,
    language text,
    text text not null,
    line bigint not null,
    tokens bigint not null,
    created_at bigint not null
);
create index chunks_file on chunks (file_id);

create table chunk_vectors (
    chunk_id text collate "C" primary key references chunks (id) on delete cascade,
    model text not null,
    vector bytea not null            -- as in experience_vectors
);
create index chunk_vectors_model on chunk_vectors (model);
