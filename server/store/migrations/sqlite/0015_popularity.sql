-- What ranking makes of how often a record was returned or opened: one caller adds to it once an hour.
-- Until now every return counted.
alter table experiences add column popularity integer not null default 0;
update experiences set popularity = query_count where query_count > 0;
alter table entries add column popularity integer not null default 0;
update entries set popularity = access_count where access_count > 0;
