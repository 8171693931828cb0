"""Live contests without HTTP: create, ask, vote, moderate, verdict, certificate."""
