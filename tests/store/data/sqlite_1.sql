BEGIN TRANSACTION;
CREATE TABLE assets (
  hash TEXT PRIMARY KEY,
  media_type TEXT NOT NULL,
  body BLOB NOT NULL
);
INSERT INTO "assets" VALUES('d4dc56669143034f31aa309635d4113d9ad76a02b1739da22c965ed2049be9e6','image/svg+xml',X'3C7376672F3E');
CREATE TABLE certificates (
  contest INTEGER NOT NULL REFERENCES contests (id),
  number INTEGER NOT NULL,
  position INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (contest, number)
);
INSERT INTO "certificates" VALUES(1,9,7,0,'{"sure": true}');
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
INSERT INTO "contests" VALUES(1,'elephant','{"title": "What is the elephant saying?"}','closed',9,4,X'DB94F04B13F7892FCB849FF7BC5383311CDD4F21EAD24D4633C7E2BFD25BD01F',1000);
CREATE TABLE items (
  contest INTEGER NOT NULL REFERENCES contests (id),
  number INTEGER NOT NULL,
  text TEXT NOT NULL,
  image TEXT NOT NULL,
  PRIMARY KEY (contest, number)
) WITHOUT ROWID;
INSERT INTO "items" VALUES(1,0,'I never forget.','');
INSERT INTO "items" VALUES(1,1,'Who moved my trunk?','abababababababababababababababababababababababababababababababab');
INSERT INTO "items" VALUES(1,2,'Tusk, tusk.','');
INSERT INTO "items" VALUES(1,3,'🐘','d4dc56669143034f31aa309635d4113d9ad76a02b1739da22c965ed2049be9e6');
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
INSERT INTO "log" VALUES(1,1,15,1000,-1,-1,-1,-1,-1,'{"to": "open"}');
INSERT INTO "log" VALUES(1,2,1,2000,0,0,1,0,800,'');
INSERT INTO "log" VALUES(1,3,1,2000,1,0,1,0,800,'');
INSERT INTO "log" VALUES(1,4,1,2000,0,1,1,0,800,'');
INSERT INTO "log" VALUES(1,5,10,5,-1,-1,-1,-1,-1,'{}');
INSERT INTO "log" VALUES(1,6,14,6,-1,-1,-1,-1,-1,'{}');
INSERT INTO "log" VALUES(1,7,1,2000,2,0,1,0,800,'');
INSERT INTO "log" VALUES(1,8,1,2000,3,3,1,0,800,'');
INSERT INTO "log" VALUES(1,9,16,7,-1,-1,-1,-1,-1,'{}');
CREATE TABLE pulse (beats INTEGER NOT NULL);
INSERT INTO "pulse" VALUES(0);
CREATE TABLE raters (
  contest INTEGER NOT NULL REFERENCES contests (id),
  number INTEGER NOT NULL,
  key BLOB,
  PRIMARY KEY (contest, number)
) WITHOUT ROWID;
INSERT INTO "raters" VALUES(1,0,X'00000000000000000000000000000001');
INSERT INTO "raters" VALUES(1,1,NULL);
INSERT INTO "raters" VALUES(1,2,X'00000000000000000000000000000002');
INSERT INTO "raters" VALUES(1,3,X'00000000000000000000000000000003');
CREATE UNIQUE INDEX raters_by_key ON raters (contest, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX log_by_rater ON log (contest, rater, item) WHERE rater >= 0;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('contests',1);
COMMIT;
PRAGMA user_version = 1;
PRAGMA application_id = 1349280117;
