// The API of this server, as functions generated from its description; nothing else of the client knows its addresses.
export * from '#api';
