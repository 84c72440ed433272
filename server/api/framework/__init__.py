"""What all readable resources share: parameters, keyset pages, formats, conditions, limits, descriptions."""
