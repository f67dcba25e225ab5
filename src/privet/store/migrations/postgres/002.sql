-- An invitation is gone once it is spent: nothing tells which key it was spent for.
DELETE FROM invitations WHERE key IS NOT NULL;
ALTER TABLE invitations DROP COLUMN key;
