"""Builds the probe for download: static, the same bytes anywhere, in a manifest that can be signed."""
