"""Published JSON schemas of what every run document has."""
