-- A row that every change of accounts writes first, so that such changes come one after another.
CREATE TABLE account_changes (count INTEGER NOT NULL);
INSERT INTO account_changes VALUES (0);

-- `folded` is the name as it is looked up; a number is never given twice.
CREATE TABLE accounts (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  folded TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  password TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE sessions (
  hash BLOB PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
  agent TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_by_account ON sessions (account);

-- `account` is whose password the link sets, 0 for a new account; `made_by` is 0 for the command line.
CREATE TABLE invitations (
  hash BLOB PRIMARY KEY,
  kind TEXT NOT NULL,
  role TEXT NOT NULL,
  account INTEGER NOT NULL,
  made_by INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE guesses (
  who BLOB PRIMARY KEY,
  failures INTEGER NOT NULL,
  at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE deeds (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  what TEXT NOT NULL
);
