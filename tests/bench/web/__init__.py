"""How long pages and API take on sample archives of growing size."""
