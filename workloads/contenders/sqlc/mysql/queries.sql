-- name: InsertOne :execlastid
INSERT INTO blog (title) VALUES (?);

-- name: SelectRandom :one
SELECT id, number, title FROM world WHERE id = ?;

-- name: SelectFirst :one
SELECT id, number, title FROM world ORDER BY id LIMIT 1;

-- sqlc takes the parameter of SLEEP for a whole number unless it is told.
-- name: SleepSleep :one
SELECT SLEEP(CAST(? AS double));

-- name: FortunesPage :many
SELECT id, message FROM fortune;
