"""The page: a run or a structure as one HTML file that draws itself in any browser, without a server or a network."""
