-- Searches may be for examples in one programming language.
create index chunks_language on chunks (language, id) where language is not null;
