//! One folder per benchmark kind; only `registry` names them.
