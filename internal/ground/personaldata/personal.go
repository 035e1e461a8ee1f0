// Package personaldata describes the tables that hold something about a person: how
// to find it, what of it to show them, and what becomes of it when they are
// erased. Each package lists its own tables; the package person goes through all
// of them, and its test fails when a table is forgotten.
package personaldata

// Table is a table that holds something about people.
type Table struct {
	Name  string
	About string // what it holds, for whoever reads the export
	// Where picks the rows about the person $1: what stands behind
	// "SELECT DISTINCT t.* FROM name t", joins included.
	Where  string
	Secret []string // columns that are never shown
	People []string // columns with the ids of users, shown as what those are to the person
	Plain  []string // columns with words of the program, in which no name is looked for
	Signed []string // columns of JSON in which only whole strings are names
	Files  []File
	// PeopleInside are, by column, the members of its JSON with the ids of users.
	PeopleInside map[string][]string
	// OwnOnly are columns shown only where another column, by its name here, has
	// the id of the person.
	OwnOnly map[string]string

	// Erase is the statement that removes the rows of the person $1; empty where
	// they are kept, for the reason Kept.
	Erase, Kept string
	// EraseFiles are statements that let go of the files of the person $1. Tables are
	// gone through from the last to the first.
	EraseFiles []string
}

// File says which file a row refers to.
type File struct {
	Hash string // the column with its hash
	Name string // the column with its name; empty: it is called after the table
	Type string // the column with its content type, which gives the ending
	Ext  string // the ending where no column tells it
}

// Removed is what records say where a file was that went with a person's data.
const Removed = "The file was removed together with the personal data."
