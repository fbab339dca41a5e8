// Schema 24: how new the answers are that somebody may get (core/store/versions.ts). `epoch` names this history of changes: a restored
// database begins another one, since its numbers are given a second time, and so does one that was not closed (`is_closed`): a power loss
// may have taken its newest changes. `shared`: the newest change that is not of one user alone.
export const VERSIONS = `
ALTER TABLE change_feed ADD COLUMN epoch BLOB NOT NULL DEFAULT x'00';
ALTER TABLE change_feed ADD COLUMN is_closed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE change_feed ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
UPDATE change_feed SET epoch = randomblob(8), shared = sequence;
CREATE TABLE own_change (
  user_id INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL
) STRICT;
`;
