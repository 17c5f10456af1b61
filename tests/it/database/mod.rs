//! Databases: opening, damage, search, migration, backup, durability.

pub(crate) mod backup;
pub(crate) mod damaged;
pub(crate) mod durability;
pub(crate) mod migrate_store;
pub(crate) mod search;
pub(crate) mod tls;
pub(crate) mod torn_index;
pub(crate) mod transfer;
