//! The HTTP layer that all endpoints share: listener, middleware and body limits; and the endpoints for
//! probes.

pub(crate) mod body;
pub(crate) mod health;
pub(crate) mod listener;
pub(crate) mod metrics;
pub(crate) mod observe;
pub(crate) mod pipeline;
