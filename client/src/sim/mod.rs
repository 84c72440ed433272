//! The mechanical model of a disk in virtual time.
