"""The model file format `taut: 1`, text to structure and back; `taut.structure.files` is the door."""
