package work

import "slices"

// CommentType is what a comment is.
type CommentType string

// Enum gives all types of comments, for the documentation of the API: those that
// are no attachment, and the kinds of attachments.
func (CommentType) Enum() []string {
	out := []string{CommentText, typeStatus, typeExtension, typeDiscussion, typeAssessment}
	for _, m := range mediaTypes {
		if !slices.Contains(out, m.kind) {
			out = append(out, m.kind)
		}
	}
	slices.Sort(out)
	return out
}
