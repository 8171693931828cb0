CREATE TABLE snapshots (
  contest INTEGER PRIMARY KEY REFERENCES contests (id),
  position INTEGER NOT NULL,
  body BLOB NOT NULL
);

CREATE TABLE keys (
  name TEXT PRIMARY KEY,
  hash BLOB NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

-- Events are few among many answers.
CREATE INDEX log_events ON log (contest, position) WHERE rater < 0;

-- How many rows each index finds for each column more that is given, in a large contest.
-- Without it SQLite guesses that a contest has ten entries, and reads a whole log for one rater.
ANALYZE sqlite_master;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('log', 'log', '10000000 1000000 1'),
  ('log', 'log_by_rater', '10000000 1000000 50 1'),
  ('log', 'log_events', '1000 100 1'),
  ('raters', 'raters', '200000 20000 1'),
  ('raters', 'raters_by_key', '200000 20000 1');
