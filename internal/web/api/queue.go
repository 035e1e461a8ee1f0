package api

import (
	"cmp"
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/queue"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/verdict"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

func (s *Server) queueRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/queue", 200, policy.GiveFeedback,
		"List what waits for the caller with the names of students and tasks, filtered and in order", s.queue,
		endpoint.Asks(policy.SeeTutorPace))
	endpoint.Route(s.Server, "GET /api/units/{id}/queue/counts", 200, policy.GiveFeedback,
		"Count what waits for the caller by task", s.queueCounts,
		endpoint.Asks(policy.SeeTutorPace))
	endpoint.Route(s.Server, "GET /api/units/{id}/queue/around", 200, policy.GiveFeedback,
		"Tell where a task stands among what waits for the caller, and what comes before and after it", s.queueAround,
		endpoint.Asks(policy.SeeTutorPace))
	endpoint.Route(s.Server, "GET /api/units/{id}/sitting", 200, policy.GiveFeedback,
		"Tell how much the caller has marked without a long pause until now, how fast, and how much is left",
		s.markingSession,
		endpoint.Asks(policy.SeeTutorPace))
}

// queueFilter is what the queue is narrowed to.
type queueFilter struct {
	UnitID     int64         `path:"id" scope:"unit"`
	Mine       bool          `param:"mine" doc:"only the students of the caller's tutorials, their own or handed to them"`
	TutorialID int64         `param:"tutorial_id" doc:"only the students of this tutorial"`
	Status     status.Status `param:"status" doc:"only tasks at this status"`
	Kind       string        `param:"kind" enum:"to_mark,to_answer,pinned" doc:"only what is to mark, to answer, or neither"`
	TutorID    int64         `param:"tutor_id" doc:"only the students of this tutor; of others for convenors"`
	Over       bool          `param:"over_target" doc:"only what is to mark and has waited longer than the unit promises"`
	Text       string        `param:"text" doc:"words that are all in the student's names, or all in the task's"`
}

func (in queueFilter) queue(who *access.Caller) (queue.Queue, error) {
	w := queue.Queue{UnitID: in.UnitID, CallerID: who.ID, Mine: in.Mine, TutorialID: in.TutorialID,
		Text: in.Text, Kind: queue.Kind(in.Kind), Over: in.Over, TutorID: in.TutorID}
	if err := usecase.OfTutor(who, in.TutorID); err != nil {
		return w, err
	}
	if in.Status == "" {
		return w, nil
	}
	known := false
	if w.Status, known = status.Parse(string(in.Status)); !known {
		return w, fault.Field(fault.Invalid, "status", "is not a task status")
	}
	return w, nil
}

// queueOrder is what the queue is narrowed to, and its order.
type queueOrder struct {
	queueFilter
	DefinitionID int64  `param:"task_definition_id" doc:"only this task"`
	Sort         string `param:"sort" enum:"waiting,task,student" doc:"the longest wait first without it"`
}

func (in queueOrder) queue(who *access.Caller) (queue.Queue, error) {
	w, err := in.queueFilter.queue(who)
	w.DefinitionID, w.Sort = in.DefinitionID, queue.Sort(in.Sort)
	return w, err
}

type queueIn struct {
	queueOrder
	paging
}

func (s *Server) queue(ctx context.Context, who *access.Caller, in queueIn) (endpoint.List[usecase.QueueRow], error) {
	w, err := in.queue(who)
	if err != nil {
		return endpoint.List[usecase.QueueRow]{}, err
	}
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]usecase.QueueRow, int64, error) {
		w.Page = p
		return usecase.QueueOf(ctx, q, w)
	})
}

type queueCountsIn struct {
	queueFilter
	paging
}

func (s *Server) queueCounts(ctx context.Context, who *access.Caller, in queueCountsIn) (
	endpoint.List[queue.TaskCount], error) {
	w, err := in.queue(who)
	if err != nil {
		return endpoint.List[queue.TaskCount]{}, err
	}
	list, err := view(ctx, s.db, func(q db.Q) ([]queue.TaskCount, error) { return w.Counts(ctx, q) })
	return short(in.paging, list, err)
}

// mostAround is how many tasks are told of on either side of one.
const mostAround = 50

type queueAroundIn struct {
	queueOrder
	TaskID int64 `param:"task_id" doc:"the number of the task, whether it waits or not; the beginning without it"`
	Near   int   `param:"near" doc:"how many on either side, at most 50; 2 without it"`
}

func (s *Server) queueAround(ctx context.Context, who *access.Caller, in queueAroundIn) (*usecase.QueuePlace, error) {
	w, err := in.queue(who)
	if err != nil {
		return nil, err
	}
	if in.Near < 0 || in.Near > mostAround {
		return nil, fault.Field(fault.Invalid, "near", "must be 1 to %d", mostAround)
	}
	return view(ctx, s.db, func(q db.Q) (*usecase.QueuePlace, error) {
		if in.TaskID != 0 {
			at := access.Scope{Unit: in.UnitID, Task: in.TaskID}
			if _, err := access.Permit(ctx, q, *who, at, policy.GiveFeedback); err != nil {
				return nil, err
			}
		}
		return usecase.QueueAround(ctx, q, w, in.TaskID, cmp.Or(in.Near, 2))
	})
}

// markingSessionOut is what the caller alone is told of their own pace.
type markingSessionOut struct {
	Done    int64 `json:"done" doc:"how many verdicts the caller gave since their last pause of an hour"`
	Waiting int64 `json:"waiting" doc:"how many tasks wait for the caller to mark or answer, as the filter narrows them"`
	queue.Tally
	Median *float64 `json:"median_seconds" doc:"between two single verdicts; null where there were fewer than three"`
}

func (s *Server) markingSession(ctx context.Context, who *access.Caller, in queueOrder) (*markingSessionOut, error) {
	w, err := in.queue(who)
	if err != nil {
		return nil, err
	}
	return view(ctx, s.db, func(q db.Q) (*markingSessionOut, error) {
		waiting, err := w.Tally(ctx, q)
		if err != nil {
			return nil, err
		}
		own, err := verdict.SessionOf(ctx, q, in.UnitID, who.ID)
		if err != nil {
			return nil, err
		}
		out := &markingSessionOut{Done: own.Done, Waiting: waiting.Waiting(), Tally: waiting}
		if own.Median > 0 {
			out.Median = new(own.Median.Seconds())
		}
		return out, nil
	})
}
