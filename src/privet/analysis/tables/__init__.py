"""Tables of questionnaires: pages combined, questions and tables with errors that hold."""
