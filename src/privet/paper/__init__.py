"""The paper's table and curves, reproduced and corrected."""
