package work

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/status"
)

// TaskRef is a task by its project and definition, whether it has a row or not.
type TaskRef struct {
	ProjectID, DefinitionID int64
}

// Person is who wrote or receives a comment.
type Person struct {
	ID        int64  `json:"id"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Email     string `json:"email"`
}

// Comment is what someone said about a task, or what became of it. What only
// some types have is absent from the others.
type Comment struct {
	ID                int64       `json:"id"`
	Text              string      `json:"comment"`
	HasAttachment     bool        `json:"has_attachment"`
	Type              CommentType `json:"type"`
	IsNew             bool        `json:"is_new"`
	ReplyTo           *int64      `json:"reply_to_id"`
	Author            Person      `json:"author"`
	Recipient         Person      `json:"recipient"`
	CreatedAt         clock.Time  `json:"created_at"`
	RecipientReadTime *clock.Time `json:"recipient_read_time"`

	Date   *clock.Time `json:"date,omitempty" doc:"of type status"`
	Status string      `json:"status,omitempty" doc:"of type status the status reached; of type discussion not started, opened or complete"`
	*extensionPart
	*discussionPart
	AssessmentID *int64    `json:"overseer_assessment_id,omitempty" doc:"of type assessment"`
	Place        *Pointing `json:"place,omitempty" doc:"where in the work it points; absent: nowhere"`

	ByStaff bool `json:"-"` // its author is a person, and not a student of the conversation
	Unasked bool `json:"-"` // an extension that the staff gave without a request
}

// extensionPart is what a comment of the type extension has beside the others.
type extensionPart struct {
	Granted    bool          `json:"granted"`
	Assessed   bool          `json:"assessed"`
	AssessedAt *clock.Time   `json:"date_assessed"`
	Weeks      int           `json:"weeks_requested"`
	Response   *string       `json:"extension_response"`
	TaskStatus status.Status `json:"task_status"`
}

// discussionPart is what a comment of the type discussion has beside the others.
type discussionPart struct {
	Prompts     int         `json:"number_of_prompts"`
	StartedAt   *clock.Time `json:"time_discussion_started"`
	CompletedAt *clock.Time `json:"time_discussion_completed"`
}

// commentRow is a comment as it is stored, with what one reader has seen.
type commentRow struct {
	ID             int64         `db:"id"`
	TaskID         int64         `db:"task_id"`
	ProjectID      int64         `db:"project_id"`
	OwnerID        int64         `db:"owner_id"` // the student of the task it is on
	Answers        bool          `db:"answers"`  // the reader is who answers that student now
	TaskStatus     status.Status `db:"task_status"`
	Text           string        `db:"comment"`
	Type           string        `db:"type"`
	ReplyTo        *int64        `db:"reply_to_id"`
	CreatedAt      clock.Time    `db:"created_at"`
	AuthorID       int64         `db:"user_id"`
	AuthorFirst    string        `db:"a_first"`
	AuthorLast     string        `db:"a_last"`
	AuthorEmail    string        `db:"a_email"`
	RecipientID    int64         `db:"recipient_id"`
	RecipientFirst string        `db:"b_first"`
	RecipientLast  string        `db:"b_last"`
	RecipientEmail string        `db:"b_email"`
	ReadAt         *clock.Time   `db:"read_at"`       // by the reader
	ReachedAt      *clock.Time   `db:"reached_at"`    // by the recipient
	StaffReadAt    *clock.Time   `db:"staff_read_at"` // by the student's tutor, and so by all the staff
	FileHash       *string       `db:"attachment_hash"`
	FileType       *string       `db:"attachment_type"`
	Status         string        `db:"status"`
	Weeks          int           `db:"extension_weeks"`
	Granted        *bool         `db:"extension_granted"`
	Response       *string       `db:"extension_response"`
	AssessedAt     *clock.Time   `db:"extension_assessed_at"`
	Prompts        int           `db:"number_of_prompts"`
	StartedAt      *clock.Time   `db:"discussion_started_at"`
	CompletedAt    *clock.Time   `db:"discussion_completed_at"`
	AssessmentID   *int64        `db:"assessment_id"`
	ByService      bool          `db:"by_service"` // it is shown as the service's, whoever it is kept under
	Unasked        bool          `db:"unasked"`    // see unasked
	Pointed        bool          `db:"pointed"`    // see pointed
	place          *Pointing     // read apart where it is pointed: few comments are
}

// unasked is true of an extension c that the staff gave without a request.
const unasked = `EXISTS (SELECT 1 FROM extension_grants xg WHERE xg.task_comment_id = c.id)`

// talk names the tasks whose comments are one conversation: the task of project
// $1 for definition $2, and those handed in together with it.
const talk = `WITH talk AS MATERIALIZED (SELECT s.id, s.project_id, s.unit_id, s.status, p.user_id AS owner_id, ` +
	tutorOf + ` AS tutor_id
	FROM tasks s JOIN projects p ON p.id = s.project_id JOIN task_definitions d ON d.id = s.task_definition_id
	WHERE s.id IN (SELECT o.id FROM tasks o WHERE o.project_id = $1 AND o.task_definition_id = $2
		UNION SELECT n.id FROM tasks o JOIN tasks n ON n.group_submission_id = o.group_submission_id
			WHERE o.project_id = $1 AND o.task_definition_id = $2)) `

// heard goes on after talk and names its tasks once more, with whether the reader $3 is who answers
// the student at the moment $4: the tutor or, while their queue is with others, one of those.
var heard = `, heard AS MATERIALIZED (SELECT t.*, EXISTS (SELECT 1 FROM unit_roles o WHERE o.unit_id = t.unit_id
		AND o.user_id = t.tutor_id AND (o.user_id = $3 AND NOT ` + handover.WithOthers("o.id", "$4") + `
			OR o.id IN (` + handover.Handed("$3", "$4") + `))) AS answers FROM talk t) `

// commentRows reads the comments of a conversation for the reader $3 at the moment $4.
var commentRows = talk + heard + `SELECT c.id, c.task_id, t.project_id, t.owner_id, t.answers, t.status AS task_status,
	c.comment, c.type, c.reply_to_id,
		c.created_at, c.user_id, a.first_name AS a_first, a.last_name AS a_last, a.email AS a_email,
		c.recipient_id, b.first_name AS b_first, b.last_name AS b_last, b.email AS b_email,
		m.read_at, k.read_at AS reached_at, c.staff_read_at, c.attachment_hash, c.attachment_type, coalesce(c.status,
		'') AS status,
		coalesce(c.extension_weeks, 0) AS extension_weeks, c.extension_granted, c.extension_response,
		c.extension_assessed_at,
		coalesce(c.number_of_prompts, 0) AS number_of_prompts, c.discussion_started_at, c.discussion_completed_at,
		c.assessment_id, c.by_service, c.type = 'extension' AND ` + unasked + ` AS unasked, ` + pointed + ` AS pointed
	FROM heard t JOIN task_comments c ON c.task_id = t.id
	JOIN users a ON a.id = c.user_id JOIN users b ON b.id = c.recipient_id
	LEFT JOIN comment_reads m ON m.task_comment_id = c.id AND m.user_id = $3
	LEFT JOIN comment_reads k ON k.task_comment_id = c.id AND k.user_id = c.recipient_id `

// commentPage reads some of them in their order, and is put together once.
var commentPage = commentRows + `ORDER BY c.created_at, c.id LIMIT $5 OFFSET $6`

// oneComment finds a comment of the conversation at a place, or fault.Missing.
func oneComment(ctx context.Context, q db.Q, at TaskRef, reader, id int64) (*commentRow, error) {
	c, err := db.OneOf[commentRow](ctx, q, "comment on this task", commentRows+`WHERE c.id = $5`, at.ProjectID,
		at.DefinitionID, reader, q.Now(), id)
	if err == nil && c.Pointed {
		c.place, err = placeOf(ctx, q, id, c.Text)
	}
	return c, err
}

// view shows a comment to a reader.
func (c *commentRow) view(by Reader) *Comment {
	v := &Comment{ID: c.ID, Text: c.Text, HasAttachment: c.FileHash != nil, Type: CommentType(c.Type),
		IsNew:     c.isNew(by),
		ReplyTo:   c.ReplyTo,
		Author:    Person{c.AuthorID, c.AuthorFirst, c.AuthorLast, c.AuthorEmail},
		Recipient: Person{c.RecipientID, c.RecipientFirst, c.RecipientLast, c.RecipientEmail},
		CreatedAt: c.CreatedAt, RecipientReadTime: c.reached(), AssessmentID: c.AssessmentID,
		ByStaff: c.AuthorID != c.OwnerID && !c.ByService, Unasked: c.Unasked, Place: c.place}
	if c.ByService {
		v.Author = Person{FirstName: ServiceFirst, LastName: ServiceLast}
	}
	switch c.Type {
	case typeStatus:
		v.Date, v.Status = &c.CreatedAt, c.Status
	case typeExtension:
		if !by.Reasons && by.UserID != c.OwnerID {
			v.Text = "" // a group shares the conversation, not why one of them needs more time
		}
		v.extensionPart = &extensionPart{c.Granted != nil && *c.Granted, c.AssessedAt != nil, c.AssessedAt, c.Weeks,
			c.Response, c.TaskStatus}
	case typeDiscussion:
		v.Status = c.stage()
		v.discussionPart = &discussionPart{c.Prompts, c.StartedAt, c.CompletedAt}
	}
	return v
}

// The types of comments that are no attachment. Those that are have the kind of
// their media: image, audio, pdf, video.
const (
	CommentText    = "text"
	typeStatus     = "status"
	typeExtension  = "extension"
	typeDiscussion = "discussion"
	typeAssessment = "assessment"
)

// MaxComment is how many characters a comment may have.
const MaxComment = 4095

// TrimComment trims what someone wrote and checks its length.
func TrimComment(text string) (string, error) {
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n > MaxComment {
		return "", fault.Field(fault.Invalid, "comment", "has %d characters: the limit is %d", n, MaxComment)
	}
	return text, nil
}

// NewComment is what someone says about a task: text, an attachment or both.
type NewComment struct {
	Text    string
	ReplyTo *int64
	Media   *Media
	Place   *Place // nil: it points nowhere
}

// Check trims the text, in front of which it puts the place, and tells what is wrong with it.
func (s *NewComment) Check() (err error) {
	if s.Place != nil {
		return s.checkPointed()
	}
	if s.Text, err = TrimComment(s.Text); err == nil && s.Text == "" && s.Media == nil {
		err = fault.Field(fault.Invalid, "comment", "is required unless there is an attachment")
	}
	return err
}

// mediaLabels stand where an attachment comes without words.
var mediaLabels = map[string]string{"image": "Image", "audio": "Sound recording", "pdf": "PDF document",
	"video": "Video"}

// Say adds a comment to a task. It makes the task's row where there is none and, in a group,
// the submission its members share, so that they see it. The same words again, straight after
// the first, are fault.Conflict: nobody means to say them twice. A reply to what is not in this
// conversation is fault.Missing. It is for holders of policy.Comment on the task, and refuses a
// comment without words and file, one too long, and one that points at the work and is a reply
// or has a file.
func Say(ctx context.Context, q db.Q, store files.Store, by Reader, at TaskRef, s NewComment) (*Comment, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	t, err := lockConversation(ctx, q, at)
	if err != nil {
		return nil, err
	}
	if s.ReplyTo != nil {
		if _, err := oneComment(ctx, q, at, by.UserID, *s.ReplyTo); err != nil {
			return nil, err
		}
	}
	n := newComment{Type: CommentText, Text: s.Text, ReplyTo: s.ReplyTo, Author: by.UserID, Once: s.Media == nil}
	if s.Media != nil {
		if err := n.attach(ctx, q, store, s.Media); err != nil {
			return nil, err
		}
	}
	c, err := n.add(ctx, q, t)
	if err != nil {
		return nil, err
	}
	if s.Place != nil {
		c.place = &Pointing{Place: s.Place.asKept(), Words: strings.TrimPrefix(c.Text, s.Place.Lead())}
		if err := keepPlaces(ctx, q, []int64{c.ID}, []*Place{s.Place}, nil); err != nil {
			return nil, err
		}
	}
	return c.announced(ctx, q, by, at, t, "created")
}

// lockConversation holds a task about which something is to be said, with its row made.
// The members of a group share what is said from then on.
func lockConversation(ctx context.Context, q db.Q, at TaskRef) (*HeldTask, error) {
	own, around, err := LockTask(ctx, q, at.ProjectID, at.DefinitionID, true)
	if err == nil && own.GroupID != nil && own.SubmissionID == nil && !status.Closed.Has(own.Status) {
		err = startSubmission(ctx, q, own, around)
	}
	return own, err
}

// ErrRepeated is the refusal of words that were just said.
func ErrRepeated() error {
	return fault.New(fault.Conflict, "Your last comment already says exactly this.")
}

// newComment is a comment to be written.
type newComment struct {
	Type, Text string
	Author     int64
	ReplyTo    *int64
	File       *Media
	Weeks      *int
	Prompts    *int
	Assessment *int64
	StaffRead  bool // the staff need not be told of it
	Once       bool // not where the last comment says the same
}

// attach makes the comment one of its media; words said with it stay.
func (n *newComment) attach(ctx context.Context, q db.Q, store files.Store, m *Media) error {
	n.Type, n.File = m.Kind, m
	if n.Text == "" {
		n.Text = mediaLabels[m.Kind]
	}
	return blob.Keep(ctx, q, store, m.File)
}

// insertComment writes a comment and gives it with the names of its two sides. Where $16
// is true it writes nothing when the last comment on the task says the same.
const insertComment = `INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, reply_to_id,
		created_at, staff_read_at, attachment_hash, attachment_type, attachment_size, extension_weeks,
		number_of_prompts, assessment_id)
	SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15
	WHERE NOT EXISTS (SELECT 1 FROM (SELECT user_id, type, comment, reply_to_id FROM task_comments WHERE task_id = $1
			ORDER BY created_at DESC, id DESC LIMIT 1) l
		WHERE $16 AND l.user_id = $3 AND l.type = $5 AND l.comment = $6 AND l.reply_to_id IS NOT DISTINCT FROM $7)
	RETURNING id,
		(SELECT u.first_name FROM users u WHERE u.id = task_comments.user_id) AS a_first,
		(SELECT u.last_name FROM users u WHERE u.id = task_comments.user_id) AS a_last,
		(SELECT u.email FROM users u WHERE u.id = task_comments.user_id) AS a_email,
		(SELECT u.first_name FROM users u WHERE u.id = task_comments.recipient_id) AS b_first,
		(SELECT u.last_name FROM users u WHERE u.id = task_comments.recipient_id) AS b_last,
		(SELECT u.email FROM users u WHERE u.id = task_comments.recipient_id) AS b_email`

// add writes the comment, and gives it as its author finds it. The author has read it;
// what the student's own tutor wrote, or who has their queue, is new for none of the staff.
func (n newComment) add(ctx context.Context, q db.Q, t *HeldTask) (*commentRow, error) {
	now := q.Now()
	c := commentRow{TaskID: t.ID, ProjectID: t.ProjectID, OwnerID: t.OwnerID, TaskStatus: t.Status,
		Text: n.Text, Type: n.Type, ReplyTo: n.ReplyTo, CreatedAt: now, AuthorID: n.Author,
		RecipientID: t.Addressee(n.Author), ReadAt: &now, AssessmentID: n.Assessment}
	answers, err := Answers(ctx, q, n.Author, t)
	if err != nil {
		return nil, err
	}
	if n.StaffRead || answers[t.ID] {
		c.StaffReadAt = &now
	}
	if c.RecipientID == n.Author {
		c.ReachedAt = &now
	}
	var size any
	if n.File != nil {
		hash := string(n.File.File.Hash)
		c.FileHash, c.FileType, size = &hash, &n.File.Type, n.File.File.Size
	}
	if n.Weeks != nil {
		c.Weeks = *n.Weeks
	}
	if n.Prompts != nil {
		c.Prompts = *n.Prompts
	}
	if err := n.insert(ctx, q, t, &c, size); err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `INSERT INTO comment_reads (task_comment_id, user_id, read_at) VALUES ($1, $2, $3)`,
		c.ID, n.Author, now); err != nil {
		return nil, err
	}
	if err := countNew(ctx, q, t, n.Author, c.StaffReadAt != nil); err != nil || n.Author != t.OwnerID {
		return &c, err
	}
	return &c, noteActivity(ctx, q, t.ProjectID)
}

// insert writes the row of the comment, and completes c by what only the database knows.
func (n newComment) insert(ctx context.Context, q db.Q, t *HeldTask, c *commentRow, size any) error {
	rows, err := db.All[commentRow](ctx, q, insertComment, t.ID, t.UnitID, n.Author, c.RecipientID, n.Type, n.Text,
		n.ReplyTo, c.CreatedAt, c.StaffReadAt, c.FileHash, c.FileType, size, n.Weeks, n.Prompts, n.Assessment, n.Once)
	if err != nil {
		return fmt.Errorf("write a comment: %w", err)
	}
	if len(rows) == 0 {
		return ErrRepeated()
	}
	r := rows[0]
	c.ID, c.AuthorFirst, c.AuthorLast, c.AuthorEmail = r.ID, r.AuthorFirst, r.AuthorLast, r.AuthorEmail
	c.RecipientFirst, c.RecipientLast, c.RecipientEmail = r.RecipientFirst, r.RecipientLast, r.RecipientEmail
	return nil
}

// CommentEvent is what the event of a comment says beside its ids.
type CommentEvent struct {
	DefinitionID int64  `json:"task_definition_id"`
	CommentID    int64  `json:"comment_id"`
	Type         string `json:"type"`
	Action       string `json:"action"` // created, updated, assessed, replied, done, reopened, deleted
	Granted      *bool  `json:"granted,omitempty"`
}

// announceChanged reads a comment that was changed and announces it.
func announceChanged(ctx context.Context, q db.Q, by Reader, at TaskRef, t *HeldTask, id int64, action string) (*Comment, error) {
	c, err := oneComment(ctx, q, at, by.UserID, id)
	if err != nil {
		return nil, err
	}
	return c.announced(ctx, q, by, at, t, action)
}

// announced tells those whose conversation a comment is in, and shows it to whoever wrote
// or changed it.
func (c *commentRow) announced(ctx context.Context, q db.Q, by Reader, at TaskRef, t *HeldTask, action string) (*Comment,
	error) {
	if t.SubmissionID == nil { // nobody shares the conversation
		return c.view(by), c.announce(ctx, q, by, at, t.UnitID, action, []inTalk{{t.ID, t.ProjectID, t.OwnerID}})
	}
	return c.view(by), c.tell(ctx, q, by, at, t.UnitID, action)
}

// inTalk is a task of a conversation.
type inTalk struct {
	TaskID    int64 `db:"id"`
	ProjectID int64 `db:"project_id"`
	OwnerID   int64 `db:"owner_id"`
}

// tell adds an event for the student and the staff, and one for each other
// student who has the comment in their own conversation.
func (c *commentRow) tell(ctx context.Context, q db.Q, by Reader, at TaskRef, unitID int64, action string) error {
	parts, err := db.All[inTalk](ctx, q, talk+`SELECT t.id, t.project_id, t.owner_id FROM talk t ORDER BY t.id`,
		at.ProjectID, at.DefinitionID)
	if err != nil {
		return err
	}
	return c.announce(ctx, q, by, at, unitID, action, parts)
}

// announce adds the events for the parts of a conversation.
func (c *commentRow) announce(ctx context.Context, q db.Q, by Reader, at TaskRef, unitID int64, action string,
	parts []inTalk) error {
	e := events.Event{Kind: events.Comment, ActorID: by.UserID, Body: CommentEvent{at.DefinitionID, c.ID, c.Type,
		action,
		c.Granted}}
	if c.Type == typeExtension {
		e.Kind = events.Extension
	}
	list := make([]events.Event, len(parts))
	for i, p := range parts {
		e.UserID, e.ProjectID, e.TaskID, e.UnitID = p.OwnerID, p.ProjectID, p.TaskID, 0
		if p.TaskID == c.TaskID {
			e.UnitID = unitID
		}
		list[i] = e
	}
	return events.Add(ctx, q, list...)
}

// FindComment gives a comment of the conversation at a place.
func FindComment(ctx context.Context, q db.Q, by Reader, at TaskRef, id int64) (*Comment, error) {
	c, err := oneComment(ctx, q, at, by.UserID, id)
	if err != nil {
		return nil, err
	}
	return c.view(by), nil
}

// DeleteComment removes a comment with its receipts and recordings. Its files go when nothing
// refers to them any more. It is for its author, who holds policy.Comment on the task, and for
// holders of policy.DeleteComments. What is no comment of this conversation is fault.Missing.
func DeleteComment(ctx context.Context, q db.Q, by Reader, at TaskRef, unitID, id int64) error {
	if err := holdTaskOf(ctx, q, id); err != nil {
		return err
	}
	c, err := oneComment(ctx, q, at, by.UserID, id)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM task_comments WHERE id = $1`, id); err != nil {
		return err
	}
	if err := RecountNews(ctx, q, c.TaskID); err != nil {
		return err
	}
	return c.tell(ctx, q, by, at, unitID, "deleted")
}

// MediaOf gives the attachment of a comment in the conversation at a place, and
// the name to save it under.
func MediaOf(ctx context.Context, q db.Q, at TaskRef, id int64) (m Media, name string, err error) {
	c, err := oneComment(ctx, q, at, 0, id)
	if err != nil {
		return m, "", err
	}
	if c.FileHash == nil {
		return m, "", fault.New(fault.Missing, "That comment has no attachment.")
	}
	m = Media{File: files.Info{Hash: files.Hash(*c.FileHash)}, Kind: c.Type, Type: *c.FileType}
	return m, fmt.Sprintf("comment-%d%s", id, mediaExtensions[m.Type]), nil
}
