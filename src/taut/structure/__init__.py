"""What a structure is: nodes, members, supports, their names and their files. No mechanics here."""
