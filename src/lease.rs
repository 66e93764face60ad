//! The lease abstraction.
