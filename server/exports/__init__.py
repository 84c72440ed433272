"""A measured drive model as parameters that simulators and tools read: a use that Skippy names."""
