"""Plants in other coordinates than those of their nodes."""
