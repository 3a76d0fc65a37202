"""Contact with rigid grounds by impulses: how far things are from a surface, one contact by itself, all of them."""
