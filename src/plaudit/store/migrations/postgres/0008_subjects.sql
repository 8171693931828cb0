-- Who signs in through a provider: a keyed hash of what the provider calls them, and nothing else.
CREATE TABLE subjects (
  account bigint PRIMARY KEY REFERENCES accounts (number) ON DELETE CASCADE,
  hash bytea NOT NULL UNIQUE,
  linked_at bigint NOT NULL
);
