"""The documentation site. `make docs` builds it into build/site; nothing is fetched from the network."""

from __future__ import annotations

import sys
from pathlib import Path

from lookalike import __version__

sys.path.insert(0, str(Path(__file__).parents[1]))  # for tools.markdown_twins

project = "lookalike"
author = "the lookalike contributors"
copyright = author
release = version = __version__

extensions = ["myst_parser", "sphinx_copybutton", "tools.markdown_twins"]
myst_heading_anchors = 4
templates_path = ["_templates"]
highlight_language = "none"  # a block without a language is output, not Python

html_theme = "furo"
html_title = f"lookalike {version}"
html_static_path = ["_static"]
html_css_files = ["lookalike.css"]
html_favicon = "_static/logo-light.svg"
html_show_sphinx = False
html_use_index = False
html_domain_indices = False
# The Markdown beside each page replaces Sphinx's copies of the sources.
html_copy_source = False
html_show_sourcelink = False
# On white and on Furo's dark background, both colours have a contrast of more than 6:1.
html_theme_options = {
    "light_logo": "logo-light.svg",
    "dark_logo": "logo-dark.svg",
    "light_css_variables": {"color-brand-primary": "#0b6e69", "color-brand-content": "#0b6e69"},
    "dark_css_variables": {"color-brand-primary": "#5fd0c4", "color-brand-content": "#5fd0c4"},
    "top_of_page_buttons": ["view"],
    "navigation_with_keys": True,
}

# Only what one types is copied: no prompts, no output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"
