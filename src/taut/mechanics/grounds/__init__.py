"""Grounds: how far things are from their surfaces, those that give way as a term, and what is read off contacts."""
