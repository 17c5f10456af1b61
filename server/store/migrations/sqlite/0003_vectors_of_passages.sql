-- A stored vector now holds the dimensions (u16) and then, for every passage, an f32 scale and one
-- i8 per dimension. Older ones held a single passage and no dimensions; they are made anew.
delete from experience_vectors;
-- The built-in model's vectors are now centred, under a name of their own; a database that had the
-- others belongs to no model until the next start.
delete from database_facts where name = 'embedding_model' and value = 'builtin:multilingual-e5-small-q4';
