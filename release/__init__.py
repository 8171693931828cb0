"""What a release needs beside the code: reading the report on known holes in dependencies."""
