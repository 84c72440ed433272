"""Private PostgreSQL and Redis instances for a machine that has none set up. Standard library only."""
