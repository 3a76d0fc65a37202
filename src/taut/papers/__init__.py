"""Papers whose results taut computes again, a package each; what they share is here. The top package below the command.

A paper is a list of claims (`claims.py`), the runs they need (`bench.py`) and its pictures (`drawing.py`);
`reproducing.py` goes through them and `report.py` tells what came out. Physics does not belong here: a paper only uses
what the library has.
"""
