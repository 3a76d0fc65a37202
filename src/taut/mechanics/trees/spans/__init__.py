"""Cables between two pulleys of a tree."""
