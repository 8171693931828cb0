"""The component sheet: what pages are made of. Only `plaudit serve --look` shows it."""
