CREATE TABLE blog (
	id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
	title longtext NOT NULL
);

CREATE TABLE world (
	id int NOT NULL PRIMARY KEY,
	number int NOT NULL,
	title varchar(100) NOT NULL
);

CREATE TABLE fortune (
	id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
	message varchar(2048) NOT NULL
);
