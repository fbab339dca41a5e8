// Schema 49: the distinct words of the search index, so that a search finds the inside of words, and words with a typing error. They are
// collected as rows are indexed, which STORED_RULES.words makes happen again to all rows. A word that no row has any more stays: it finds
// nothing.
export const SEARCH_VOCABULARY = `
CREATE TABLE search_word (
  id INTEGER PRIMARY KEY,
  word TEXT NOT NULL UNIQUE
) STRICT;
CREATE VIRTUAL TABLE search_word_trigram USING fts5(word, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1');
CREATE TRIGGER search_word_came AFTER INSERT ON search_word BEGIN
  INSERT INTO search_word_trigram (rowid, word) VALUES (new.id, new.word);
END;
`;
