-- What keeps the leaves of a contest's tree from being guessed.
ALTER TABLE contests ADD COLUMN blinding BLOB NOT NULL DEFAULT x'';
UPDATE contests SET blinding = randomblob(32);

-- The salt of a rater's mark; of an erased rater, the mark itself.
ALTER TABLE raters ADD COLUMN salt BLOB NOT NULL DEFAULT x'';
UPDATE raters SET salt = randomblob(CASE WHEN key IS NULL THEN 32 ELSE 16 END);

-- The trees of contests: full tiles of 256 hashes.
CREATE TABLE tiles (
  contest INTEGER NOT NULL REFERENCES contests (id),
  level INTEGER NOT NULL,
  number INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (contest, level, number)
);

-- Signed checkpoints: the first for a size stays.
CREATE TABLE checkpoints (
  contest INTEGER NOT NULL REFERENCES contests (id),
  size INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (contest, size)
) WITHOUT ROWID;

-- The public keys of this service. Private keys are never stored: they follow from the secret.
CREATE TABLE signing_keys (
  number INTEGER PRIMARY KEY,
  public BLOB NOT NULL,
  made_at INTEGER NOT NULL,
  retired_at INTEGER
);

-- The public keys of other services that signed for a contest before it was restored here.
CREATE TABLE signers (
  contest INTEGER NOT NULL REFERENCES contests (id),
  number INTEGER NOT NULL,
  vkey TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  retired_at INTEGER,
  PRIMARY KEY (contest, number)
) WITHOUT ROWID;
