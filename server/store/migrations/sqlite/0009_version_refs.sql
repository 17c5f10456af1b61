-- The tag, branch or commit that a version was asked for by, so that reading it again asks for the same.
alter table library_versions add column at text;
