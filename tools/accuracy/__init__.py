"""Compare extraction with the truth of traced and simulated drives."""
