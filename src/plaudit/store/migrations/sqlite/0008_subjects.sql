-- Who signs in through a provider: a keyed hash of what the provider calls them, and nothing else.
CREATE TABLE subjects (
  account INTEGER PRIMARY KEY REFERENCES accounts (number) ON DELETE CASCADE,
  hash BLOB NOT NULL UNIQUE,
  linked_at INTEGER NOT NULL
);
