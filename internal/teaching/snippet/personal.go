package snippet

import "lectern/internal/ground/personaldata"

// Personal lists the tables of reusable comments.
var Personal = []personaldata.Table{
	{Name: "snippets", About: "reusable comments the person wrote, their own and those of units",
		Where: "WHERE t.user_id = $1", People: []string{"user_id"},
		Erase: `DELETE FROM snippets WHERE user_id = $1 AND unit_id IS NULL`},
	{Name: "snippet_uses", About: "how often the person's own reusable comments were used",
		Where: "JOIN snippets s ON s.id = t.snippet_id WHERE s.user_id = $1 AND s.unit_id IS NULL",
		Kept:  "a count, which goes with its text"},
}
