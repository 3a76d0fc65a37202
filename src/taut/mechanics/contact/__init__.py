"""Contact: how far things are from a surface; rigid grounds by impulses, one by itself, all of them; grounds that give
way."""
