//! Brings an envelope to an archive over HTTP and follows it until it is published.
