-- What an entry that came from a Markdown note does not keep itself: where the note lay, and everything
-- above its text as it was written. Head and content together are the note, byte for byte.
create table entry_notes (
    entry_id text collate "C" primary key references entries (id) on delete cascade,
    path text collate "C" not null,  -- relative to the folder, with /
    head text not null               -- front matter with its marks; empty when there was none
);
-- An index row has an end; a path may be longer.
create index entry_notes_path on entry_notes (left(path, 500));
