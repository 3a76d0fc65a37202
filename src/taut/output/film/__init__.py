"""Runs as films: what is filmed (`shot`), who draws it (`canvas`, or `page_frames` in a `browser`), and the encoding."""
