"""The report on a six-strut robot that rolls (P. Somane), claim by claim."""
