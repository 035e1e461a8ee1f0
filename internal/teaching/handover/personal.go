package handover

import "lectern/internal/ground/personaldata"

// Personal lists the tables of handovers: who was not there, and who stood in for them.
var Personal = []personaldata.Table{
	{Name: "handovers", About: "times at which the person's queue was with colleagues",
		Where: "JOIN unit_roles r ON r.id = t.unit_role_id WHERE r.user_id = $1",
		Erase: `DELETE FROM handovers WHERE unit_role_id IN (SELECT id FROM unit_roles WHERE user_id = $1)`},
	{Name: "handover_staff", About: "queues of colleagues that were with the person",
		Where: "JOIN unit_roles r ON r.id = t.unit_role_id WHERE r.user_id = $1",
		Erase: `DELETE FROM handover_staff WHERE unit_role_id IN (SELECT id FROM unit_roles WHERE user_id = $1)`},
}
