"""What an upload costs, from its address to the published run."""
