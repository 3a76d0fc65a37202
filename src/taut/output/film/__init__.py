"""Runs as films: what is filmed (`shot`), who draws it (`canvas`, or `page_frames` in a `browser`), how it is encoded.

`filming.py` holds `taut.film`, which puts these together.
"""
