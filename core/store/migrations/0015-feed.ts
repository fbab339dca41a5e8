// Schema 15: the number of the last transaction that reported a change, stored with its changes.
export const FEED = `
CREATE TABLE change_feed (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sequence INTEGER NOT NULL
) STRICT;
INSERT INTO change_feed (id, sequence) VALUES (1, 0);
`;
