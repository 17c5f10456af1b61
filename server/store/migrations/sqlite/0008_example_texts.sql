-- What a language model wrote about examples of documentation, by what it was asked, so that it is not
-- asked again when an example comes back: in a file that changed elsewhere, or in the next version.
create table example_texts (
    hash blob primary key,           -- SHA-256 of model, instruction and example
    title text not null,
    description text not null,
    used_at integer not null         -- microseconds since 1970, UTC
) strict, without rowid;
create index example_texts_used on example_texts (used_at);
