package marking

// Since is the number of the version before the one on the desk; 0: it is the first.
func (t *deskTask) Since() int { return max(0, len(t.Versions)-1) }
