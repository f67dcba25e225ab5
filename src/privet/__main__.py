"""python -m privet is the privet command."""

from .cli import main

main(prog_name="privet")
