CREATE TABLE contests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  settings TEXT NOT NULL,
  state TEXT NOT NULL,
  position INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  digest BLOB NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE items (
  contest INTEGER NOT NULL REFERENCES contests (id),
  number INTEGER NOT NULL,
  text TEXT NOT NULL,
  image TEXT NOT NULL,
  PRIMARY KEY (contest, number)
) WITHOUT ROWID;

CREATE TABLE raters (
  contest INTEGER NOT NULL REFERENCES contests (id),
  number INTEGER NOT NULL,
  key BLOB,
  PRIMARY KEY (contest, number)
) WITHOUT ROWID;
CREATE UNIQUE INDEX raters_by_key ON raters (contest, key) WHERE key IS NOT NULL;

-- The log is kept in its own order, so that reading on from a position is one sweep.
CREATE TABLE log (
  contest INTEGER NOT NULL REFERENCES contests (id),
  position INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  at INTEGER NOT NULL,
  rater INTEGER NOT NULL,
  item INTEGER NOT NULL,
  level INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  response_ms INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (contest, position)
) WITHOUT ROWID;
CREATE UNIQUE INDEX log_by_rater ON log (contest, rater, item) WHERE rater >= 0;

CREATE TABLE assets (
  hash TEXT PRIMARY KEY,
  media_type TEXT NOT NULL,
  body BLOB NOT NULL
);

-- `number` is the place of the certificate among those of its contest.
CREATE TABLE certificates (
  contest INTEGER NOT NULL REFERENCES contests (id),
  number INTEGER NOT NULL,
  position INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (contest, number)
);

-- Written by health checks, which must know that writing works.
CREATE TABLE pulse (beats INTEGER NOT NULL);
INSERT INTO pulse VALUES (0);
