-- Edited by hand after generation: drizzle-kit knows no WITHOUT ROWID, and the single row of `meta` is made here. It says that
-- revision 1 is compacted: the first change gets revision 2, and an empty type shows a revision from which it can be watched.
CREATE TABLE `current` (
	`key` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `history` (
	`revision` integer PRIMARY KEY NOT NULL,
	`previous_revision` integer NOT NULL,
	`type` integer NOT NULL,
	`committed_at` integer NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `meta` (
	`id` integer PRIMARY KEY NOT NULL,
	`compacted_revision` integer NOT NULL,
	`acknowledged_revision` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `meta` (`id`, `compacted_revision`, `acknowledged_revision`) VALUES (1, 1, 1);
