-- What keeps the leaves of a contest's tree from being guessed. PostgreSQL's source of strong random
-- numbers without an extension is gen_random_uuid, with 122 bits a call.
ALTER TABLE contests ADD COLUMN blinding bytea NOT NULL DEFAULT '';
UPDATE contests SET blinding =
  sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));

-- The salt of a rater's mark; of an erased rater, the mark itself.
ALTER TABLE raters ADD COLUMN salt bytea NOT NULL DEFAULT '';
UPDATE raters SET salt = substring(
  sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))
  FROM 1 FOR CASE WHEN key IS NULL THEN 32 ELSE 16 END
);

-- The trees of contests: full tiles of 256 hashes.
CREATE TABLE tiles (
  contest bigint NOT NULL REFERENCES contests (id),
  level bigint NOT NULL,
  number bigint NOT NULL,
  hashes bytea NOT NULL,
  PRIMARY KEY (contest, level, number)
);

-- Signed checkpoints: the first for a size stays.
CREATE TABLE checkpoints (
  contest bigint NOT NULL REFERENCES contests (id),
  size bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (contest, size)
);

-- The public keys of this service. Private keys are never stored: they follow from the secret.
CREATE TABLE signing_keys (
  number bigint PRIMARY KEY,
  public bytea NOT NULL,
  made_at bigint NOT NULL,
  retired_at bigint
);

-- The public keys of other services that signed for a contest before it was restored here.
CREATE TABLE signers (
  contest bigint NOT NULL REFERENCES contests (id),
  number bigint NOT NULL,
  vkey text NOT NULL,
  made_at bigint NOT NULL,
  retired_at bigint,
  PRIMARY KEY (contest, number)
);
