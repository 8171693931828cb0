-- A row that every change of accounts writes first, so that such changes come one after another.
CREATE TABLE account_changes (count bigint NOT NULL);
INSERT INTO account_changes VALUES (0);

-- `folded` is the name as it is looked up; a number is never given twice.
CREATE TABLE accounts (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  folded text NOT NULL UNIQUE,
  role text NOT NULL,
  password text NOT NULL,
  created_at bigint NOT NULL
);

CREATE TABLE sessions (
  hash bytea PRIMARY KEY,
  account bigint NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
  agent text NOT NULL,
  created_at bigint NOT NULL,
  seen_at bigint NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account);

-- `account` is whose password the link sets, 0 for a new account; `made_by` is 0 for the command line.
CREATE TABLE invitations (
  hash bytea PRIMARY KEY,
  kind text NOT NULL,
  role text NOT NULL,
  account bigint NOT NULL,
  made_by bigint NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);

CREATE TABLE guesses (
  who bytea PRIMARY KEY,
  failures bigint NOT NULL,
  at bigint NOT NULL
);

CREATE TABLE deeds (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  who text NOT NULL,
  what text NOT NULL
);
