-- When a picture was last wanted. One that no contest names goes some time after; see pictures.py.
CREATE TABLE held (
  hash text PRIMARY KEY,
  at bigint NOT NULL
);
INSERT INTO held SELECT hash, CAST(1000 * extract(epoch FROM now()) AS bigint) FROM assets;
