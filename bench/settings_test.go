package bench

func init() {
	settings, self, backups := "/api/admin/settings", "/api/users/{user}", "/api/admin/backups"
	behind["/admin/settings"] = []string{settings}
	for _, name := range []string{"institution", "sign-in", "email"} {
		behind["/admin/settings/"+name] = []string{settings, self}
		behind["/first-start/"+name] = []string{settings, self, backups}
	}
	behind["/first-start/unit"] = []string{settings, "/api/teaching_periods", backups}
	behind["/first-start/done"] = []string{settings, "/api/auth/second_factor", backups}
	behind["/first-start/second-factor"] = []string{"/api/auth/second_factor"}
}
