"""Whether a run can be true: checks that hold it for a person, and never change or drop a number."""
