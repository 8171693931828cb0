-- Where notices about a contest go: webhooks and mail addresses. The secret that signs them follows
-- from the service's own and from the salt; it is not stored.
CREATE TABLE destinations (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  contest INTEGER NOT NULL REFERENCES contests (id) ON DELETE CASCADE,
  way TEXT NOT NULL,
  address TEXT NOT NULL,
  kinds TEXT NOT NULL,
  salt BLOB NOT NULL,
  made_at INTEGER NOT NULL
);
CREATE INDEX destinations_of ON destinations (contest, number);

-- What has been told about a contest; the version is raised with every change.
CREATE TABLE notice_marks (
  contest INTEGER PRIMARY KEY REFERENCES contests (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  body TEXT NOT NULL
);

-- The queue: each row is one notice for one destination, as it is sent.
CREATE TABLE deliveries (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  destination INTEGER NOT NULL REFERENCES destinations (number) ON DELETE CASCADE,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  tries INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  tried_at INTEGER,
  outcome TEXT NOT NULL
);
CREATE INDEX deliveries_of ON deliveries (destination, number);
CREATE INDEX deliveries_due ON deliveries (state, due_at);
CREATE INDEX deliveries_old ON deliveries (made_at);

-- Who does a piece of work that only one worker may do at a time, and until when.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until INTEGER NOT NULL
) WITHOUT ROWID;
