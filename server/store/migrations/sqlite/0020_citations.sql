-- The files of a repository that an entry is about: a JSON list of paths with hashes; null: none.
alter table entries add column citations text;
