"""taut beside other programs that can do the same work: `python -m benchmarks` makes the table, its page, its history.

A row is one piece of work. All who can do it take turns, and what is kept is their CPU time as a multiple of taut's in
the same turn, which a busy machine hardly changes. What is not like for like is said in the row.
"""
