//! Connections to a cluster: addresses, TLS, the primary, standbys, faults.

pub(crate) mod cluster;
pub(crate) mod fault;
pub(crate) mod hosts;
pub(crate) mod listener;
pub(crate) mod standby;
pub(crate) mod tls;
pub(crate) mod transaction;
