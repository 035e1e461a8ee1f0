package usecase

// Matter is what an institution has a statement of its own on.
type Matter string

// The matters that there are statements on.
const (
	OnPrivacy       Matter = "privacy"
	OnPlagiarism    Matter = "plagiarism"
	OnAccessibility Matter = "accessibility"
)

// Statement is what an institution says on a matter: Markdown, or the address where it stands.
type Statement struct{ Text, Link string }

const (
	defaultPrivacy = "The work you submit, your marks and the comments you exchange are kept to teach and assess " +
		"you. The staff of your units and the administrators of this service can see them."
	defaultDeclaration = "By submitting work you state that it is your own, that every source it draws on is named, " +
		"and that you agree to its being compared with the work of others."
)

// ShortStatement is what the settings say on a matter in one paragraph; empty where they say nothing.
func (s *Service) ShortStatement(m Matter) string {
	switch m {
	case OnPrivacy:
		return s.Privacy
	case OnPlagiarism:
		return s.Declaration
	}
	return ""
}
