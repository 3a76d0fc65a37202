"""Rigid contact by impulses: one contact, all that are closed, what they do to velocities, and their books."""
