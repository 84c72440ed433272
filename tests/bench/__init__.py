"""The probe's speed beside that of other programs: `make bench-probe`. No test: a busy machine moves it."""
