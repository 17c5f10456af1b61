-- Which experience says what: SHA-256 of the normalised texts, so that the same is not shared twice.
-- Older programs write none. So `hashed` says up to which `seq` hashes are known to be right: whoever
-- writes them moves it with `seq`, and what lies behind it is hashed again.
alter table experiences add column content_hash blob;
create index experiences_content_hash on experiences (content_hash);
alter table head add column hashed integer not null default 0;
