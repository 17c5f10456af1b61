-- A suggestion to link two entries ends when they are linked, whoever made the link.
update suggestions set status = 'accepted', decided_at = (
    select min(l.created_at) from suggestion_entries e join entry_links l on l.source_id = e.entry_id
    where e.suggestion_id = suggestions.id
    and suggestions.pair in (l.source_id || ' ' || l.target_id, l.target_id || ' ' || l.source_id)
)
where status = 'pending' and type = 'link' and exists (
    select 1 from suggestion_entries e join entry_links l on l.source_id = e.entry_id
    where e.suggestion_id = suggestions.id
    and suggestions.pair in (l.source_id || ' ' || l.target_id, l.target_id || ' ' || l.source_id)
);
