"""The behavioural fingerprint of a mechanism, and whether one name stands for two of them. Pure."""
