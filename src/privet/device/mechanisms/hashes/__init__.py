"""Reports of hashed values: a public function, and where it maps the person's value."""
