// Schema 20: what other rows said of a task when it last counted as having got somewhere; a start that changes nothing counts as a crash.
export const MEASURED = `
ALTER TABLE task ADD COLUMN measured TEXT;
`;
