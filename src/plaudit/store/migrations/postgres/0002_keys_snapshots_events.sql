CREATE TABLE snapshots (
  contest bigint PRIMARY KEY REFERENCES contests (id),
  position bigint NOT NULL,
  body bytea NOT NULL
);

CREATE TABLE keys (
  name text PRIMARY KEY,
  hash bytea NOT NULL,
  scopes text NOT NULL,
  created_at bigint NOT NULL
);

-- Events are few among many answers.
CREATE INDEX log_events ON log (contest, position) WHERE rater < 0;
