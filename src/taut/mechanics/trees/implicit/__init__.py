"""Implicit steps of trees: what a stage asks of one, and what a run keeps from one iteration to the next."""
