-- name: InsertOne :one
INSERT INTO blog (title) VALUES ($1) RETURNING id;

-- name: SelectRandom :one
SELECT id, number, title FROM world WHERE id = $1;

-- name: SelectFirst :one
SELECT id, number, title FROM world ORDER BY id LIMIT 1;

-- name: SleepSleep :execrows
SELECT pg_sleep($1);

-- name: FortunesPage :many
SELECT id, message FROM fortune;
