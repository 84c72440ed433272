"""Statistics over plain numbers: no database, no Django. `/methods/statistics/` states every formula.

The unit of replication is the physical drive: whoever calls averages a drive's runs first.
"""
