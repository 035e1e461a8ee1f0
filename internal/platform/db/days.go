package db

// AddDays writes the date n days after a date column, where n is an argument
// such as $2, so that any number of rows can move in one statement: PostgreSQL
// adds a number to a DATE, SQLite has a function for it.
func AddDays(q Q, column, n string) string {
	if q.Postgres() {
		return "(" + column + " + CAST(" + n + " AS INTEGER))"
	}
	return "date(" + column + ", " + n + " || ' days')"
}

// Instant writes the instant of a column into a text: as SQLite keeps it, and as milliseconds from PostgreSQL, which
// would write it as its session has it. clock.ParseMilli reads both.
func Instant(q Q, column string) string {
	if q.Postgres() {
		return "CAST(CAST(date_part('epoch', " + column + ") * 1000 AS BIGINT) AS TEXT)"
	}
	return column
}
