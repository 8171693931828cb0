-- The row of a contest changes with each group of answers: room in its page keeps that cheap.
CREATE TABLE contests (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  settings text NOT NULL,
  state text NOT NULL,
  position bigint NOT NULL,
  epoch bigint NOT NULL,
  digest bytea NOT NULL,
  created_at bigint NOT NULL
) WITH (fillfactor = 50);

-- Items, raters and entries are written only while the row of their contest is held, and no
-- contest is ever deleted: a foreign key would cost a look-up for each and find nothing.
CREATE TABLE items (
  contest bigint NOT NULL,
  number bigint NOT NULL,
  text text NOT NULL,
  image text NOT NULL,
  PRIMARY KEY (contest, number)
);

CREATE TABLE raters (
  contest bigint NOT NULL,
  number bigint NOT NULL,
  key bytea,
  PRIMARY KEY (contest, number)
);
CREATE UNIQUE INDEX raters_by_key ON raters (contest, key) WHERE key IS NOT NULL;

CREATE TABLE log (
  contest bigint NOT NULL,
  position bigint NOT NULL,
  at bigint NOT NULL,
  rater bigint NOT NULL,
  item bigint NOT NULL,
  response_ms integer NOT NULL,
  kind smallint NOT NULL,
  level smallint NOT NULL,
  lane smallint NOT NULL,
  payload text NOT NULL,
  PRIMARY KEY (contest, position)
);
CREATE UNIQUE INDEX log_by_rater ON log (contest, rater, item) WHERE rater >= 0;

CREATE TABLE assets (
  hash text PRIMARY KEY,
  media_type text NOT NULL,
  body bytea NOT NULL
);

-- `number` is the place of the certificate among those of its contest.
CREATE TABLE certificates (
  contest bigint NOT NULL REFERENCES contests (id),
  number bigint NOT NULL,
  position bigint NOT NULL,
  lane bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (contest, number)
);

-- Written by health checks, which must know that writing works.
CREATE TABLE pulse (beats bigint NOT NULL);
INSERT INTO pulse VALUES (0);
