"""How often the plausibility checks hold a run that nothing is wrong with."""
