-- A stored vector now holds the dimensions (u16) and then, for every passage, an f32 scale and one
-- i8 per dimension. Older ones held a single passage and no dimensions; they are made anew.
delete from experience_vectors;
