//! What a disk says of itself: parsers over bytes and readers, system calls only at the edge.
