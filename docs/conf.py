"""How the site is built: Sphinx with MyST pages, docstrings, commands, and pictures made here."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import pictures  # noqa: E402
from command_reference import Commands  # noqa: E402
from docstrings import prepare, public_signature  # noqa: E402
from http_reference import Reasons, Routes  # noqa: E402
from paths import lead_to_pages  # noqa: E402

import privet  # noqa: E402

project = "privet"
release = version = privet.__version__
author = copyright = "the privet developers"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "_pictures"]

# Pages: everything that names something must find it.
nitpicky = True
# Types in signatures are often another library's, or have no page because nobody makes them.
nitpick_ignore_regex = [("py:(class|obj|data|exc|attr)", r"(?!privet\.).*|privet\.\w+\..*")]
# Short names of attributes in docstrings are no links.
suppress_warnings = ["ref.python"]
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist"]
myst_heading_anchors = 3

# Pages and docstrings say themselves which quotes they mean.
smartquotes_action = "D"
# Docstrings are plain text with `names`, and indented formulas.
default_role = "literal"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
napoleon_google_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = "privet"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
_GREENS = {"light": "#3f6b33", "dark": "#9ccc8a"}
html_theme_options = {
    f"{theme}_css_variables": {"color-brand-primary": green, "color-brand-content": green}
    for theme, green in _GREENS.items()
}


def setup(app):
    """Draw the pictures, and join what reads pages and docstrings."""
    pictures.draw_all(HERE / "_pictures")
    app.add_directive("commands", Commands)
    app.add_directive("reasons", Reasons)
    app.add_directive("routes", Routes)
    app.connect("autodoc-process-docstring", prepare, priority=100)
    app.connect("autodoc-process-signature", public_signature)
    app.connect("source-read", lead_to_pages)
    app.connect("include-read", lead_to_pages)
