"""What time decides, whatever the forces: one file for each kind of imposed quantity."""
