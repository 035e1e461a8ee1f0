package bench

func init() {
	behind["/units/{id}/students"] = []string{aUnit + "/students?limit=50", aUnit, "/api/campuses"}
	behind["/units/{unit_id}/students/{project_id}"] = []string{aProject, aUnit, aProject + "/history?limit=5",
		aProject + "/burndown", aProject + "/notes"}
	behind["/units/{id}/tasks"] = []string{aUnit + "/task_counts", aUnit}
	behind["/units/{unit_id}/tasks/{task_definition_id}"] = []string{
		aUnit + "/task_definitions/{task_definition_id}/students?limit=50", aUnit + "/task_counts", aUnit}
}
