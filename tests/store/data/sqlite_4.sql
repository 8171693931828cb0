BEGIN TRANSACTION;
CREATE TABLE account_changes (count INTEGER NOT NULL);
INSERT INTO "account_changes" VALUES(4);
CREATE TABLE accounts (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  folded TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  password TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
INSERT INTO "accounts" VALUES(1,'Ána','ána','owner','hash',5);
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
INSERT INTO "contests" VALUES(2,'later','{}','open',2,1,X'A4F6007578B6224C1179A7C79CFB1FB1ACC65CB28E65D4DA859857B2F807DB48',1000);
CREATE TABLE deeds (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  what TEXT NOT NULL
, contest TEXT NOT NULL DEFAULT '', position INTEGER NOT NULL DEFAULT 0);
INSERT INTO "deeds" VALUES(1,10,'ana','did something','',0);
INSERT INTO "deeds" VALUES(2,10,'ana','did something','',0);
INSERT INTO "deeds" VALUES(3,10,'ana','did something','',0);
INSERT INTO "deeds" VALUES(4,9,'Ána','created the contest','later',1);
CREATE TABLE guesses (
  who BLOB PRIMARY KEY,
  failures INTEGER NOT NULL,
  at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "guesses" VALUES(X'0077686F',3,5);
CREATE TABLE invitations (
  hash BLOB PRIMARY KEY,
  kind TEXT NOT NULL,
  role TEXT NOT NULL,
  account INTEGER NOT NULL,
  made_by INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "invitations" VALUES(X'006C696E6B','invite','editor',7,1,1,1000);
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
CREATE TABLE keys (
  name TEXT PRIMARY KEY,
  hash BLOB NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
INSERT INTO "keys" VALUES('bot',X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF','["read"]',5);
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
INSERT INTO "log" VALUES(2,1,15,1000,-1,-1,-1,-1,-1,'{"to": "open"}');
INSERT INTO "log" VALUES(2,2,1,2000,0,0,1,0,800,'');
CREATE TABLE pulse (beats INTEGER NOT NULL);
INSERT INTO "pulse" VALUES(0);
CREATE TABLE raters (
  contest INTEGER NOT NULL REFERENCES contests (id),
  number INTEGER NOT NULL,
  key BLOB, origin BLOB,
  PRIMARY KEY (contest, number)
) WITHOUT ROWID;
INSERT INTO "raters" VALUES(1,0,X'00000000000000000000000000000001',NULL);
INSERT INTO "raters" VALUES(1,1,NULL,NULL);
INSERT INTO "raters" VALUES(1,2,X'00000000000000000000000000000002',NULL);
INSERT INTO "raters" VALUES(1,3,X'00000000000000000000000000000003',NULL);
INSERT INTO "raters" VALUES(2,0,X'00000000000000000000000000000001',X'00FF6F726967696E');
CREATE TABLE sessions (
  hash BLOB PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
  agent TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "sessions" VALUES(X'0073657373696F6E',1,'Browser 1.0',5,5);
CREATE TABLE snapshots (
  contest INTEGER PRIMARY KEY REFERENCES contests (id),
  position INTEGER NOT NULL,
  body BLOB NOT NULL
);
INSERT INTO "snapshots" VALUES(1,5,X'00736E617073686F74');
ANALYZE "sqlite_master";
INSERT INTO "sqlite_stat1" VALUES('log','log','10000000 1000000 1');
INSERT INTO "sqlite_stat1" VALUES('log','log_by_rater','10000000 1000000 50 1');
INSERT INTO "sqlite_stat1" VALUES('log','log_events','1000 100 1');
INSERT INTO "sqlite_stat1" VALUES('raters','raters','200000 20000 1');
INSERT INTO "sqlite_stat1" VALUES('raters','raters_by_key','200000 20000 1');
CREATE UNIQUE INDEX raters_by_key ON raters (contest, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX log_by_rater ON log (contest, rater, item) WHERE rater >= 0;
CREATE INDEX log_events ON log (contest, position) WHERE rater < 0;
CREATE INDEX sessions_by_account ON sessions (account);
CREATE INDEX deeds_by_contest ON deeds (contest, number);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('contests',2);
INSERT INTO "sqlite_sequence" VALUES('deeds',4);
INSERT INTO "sqlite_sequence" VALUES('accounts',1);
COMMIT;
PRAGMA user_version = 4;
PRAGMA application_id = 1349280117;
