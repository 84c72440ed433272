"""Benchmark kinds as files: where they stand, what is written from them, and a new one."""
