"""The paper's table and curves, reproduced and corrected.

- `table1`: the 328 cells of Table 1 as printed, by the paper's own protocol, and with real reports;
- `information`: how much a report can reveal at each ε, and where randomized response is optimal;
- `write_report`: all of it as a page to read, with figures and the errata.
"""

from .curves import Information, information
from .report import write_report
from .table1 import Cell, Table1, table1

__all__ = ["Cell", "Information", "Table1", "information", "table1", "write_report"]
