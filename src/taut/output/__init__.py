"""What leaves the library: run files, and later plots, pages and reports."""
