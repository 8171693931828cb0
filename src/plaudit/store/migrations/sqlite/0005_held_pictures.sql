-- When a picture was last wanted. One that no contest names goes some time after; see pictures.py.
-- Not a column of assets: to change it there would write the whole picture again.
CREATE TABLE held (
  hash TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO held SELECT hash, 1000 * CAST(strftime('%s', 'now') AS INTEGER) FROM assets;
