package course

import "lectern/internal/ground/personaldata"

// Personal lists the tables of people's work for units.
var Personal = []personaldata.Table{
	{Name: "unit_roles", About: "units the person teaches", Where: "WHERE t.user_id = $1", People: []string{"user_id"},
		Kept: "who taught a unit is part of its record"},
}
