"""A sample archive of any size, to measure the website and the API on. Nothing in it was measured."""
