"""Kinds of answer: one choice, several choices, a number on a scale.

A kind checks a respondent's answer, decides what the mechanism receives of it, and names the
mechanisms that fit (`base`). Surveys, tallies, files and commands are written once against that.
"""
