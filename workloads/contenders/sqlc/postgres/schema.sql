CREATE TABLE blog (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	title text NOT NULL
);

CREATE TABLE world (
	id integer NOT NULL PRIMARY KEY,
	number integer NOT NULL,
	title varchar(100) NOT NULL
);

CREATE TABLE fortune (
	id integer NOT NULL PRIMARY KEY,
	message varchar(2048) NOT NULL
);
