"""Searches for gaits on disk: kept after every generation, and gone on with."""
