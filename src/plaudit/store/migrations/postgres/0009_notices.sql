-- Where notices about a contest go: webhooks and mail addresses. The secret that signs them follows
-- from the service's own and from the salt; it is not stored.
CREATE TABLE destinations (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  contest bigint NOT NULL REFERENCES contests (id) ON DELETE CASCADE,
  way text NOT NULL,
  address text NOT NULL,
  kinds text NOT NULL,
  salt bytea NOT NULL,
  made_at bigint NOT NULL
);
CREATE INDEX destinations_of ON destinations (contest, number);

-- What has been told about a contest; the version is raised with every change.
CREATE TABLE notice_marks (
  contest bigint PRIMARY KEY REFERENCES contests (id) ON DELETE CASCADE,
  version bigint NOT NULL,
  body text NOT NULL
);

-- The queue: each row is one notice for one destination, as it is sent.
CREATE TABLE deliveries (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  destination bigint NOT NULL REFERENCES destinations (number) ON DELETE CASCADE,
  id text NOT NULL UNIQUE,
  kind text NOT NULL,
  body text NOT NULL,
  made_at bigint NOT NULL,
  state text NOT NULL,
  tries bigint NOT NULL,
  due_at bigint NOT NULL,
  tried_at bigint,
  outcome text NOT NULL
);
CREATE INDEX deliveries_of ON deliveries (destination, number);
CREATE INDEX deliveries_due ON deliveries (state, due_at);
CREATE INDEX deliveries_old ON deliveries (made_at);

-- Who does a piece of work that only one worker may do at a time, and until when.
CREATE TABLE leases (
  name text PRIMARY KEY,
  holder text NOT NULL,
  until bigint NOT NULL
);
