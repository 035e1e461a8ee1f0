package live

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"lectern/internal/platform/events"
	"lectern/internal/platform/jobs"
	"lectern/internal/web/endpoint"
)

// queued tells a listener where their jobs stand in line, such as the documents of
// work just handed in. It looks only while there may be any: for a while after each
// submission, and as long as one waits.
type queued struct {
	look time.Time // until then
	told []byte
}

const (
	// lookEvery is how often a listener with jobs in line hears of their places.
	lookEvery = 2 * time.Second
	// lookFor is how long a job may take to be found in line.
	lookFor = 30 * time.Second
)

// noticed looks out for jobs of the listener when an event says that there may be.
func (u *queued) noticed(e *events.Event, listener int64) {
	if e.UserID == listener && (e.Kind == events.Submission || e.Kind == events.Document) {
		u.look = time.Now().Add(lookFor)
	}
}

// wait is how long to wait for events: less while there is something to look for.
func (u *queued) wait(heartbeat time.Duration) time.Duration {
	if time.Now().Before(u.look) {
		return min(heartbeat, lookEvery)
	}
	return heartbeat
}

// tellQueue sends the places of the listener's jobs in line where they changed, with
// the number of the last event, which stays the place to come back to.
func (l *listening) tellQueue(ctx context.Context, yield func(endpoint.Event, error) bool) bool {
	if !time.Now().Before(l.queue.look) {
		return true
	}
	list, err := jobs.WaitingOf(ctx, l.DB.Pool(), l.who.ID)
	if err != nil {
		return ctx.Err() == nil && yield(endpoint.Event{}, err)
	}
	if len(list) > 0 {
		l.queue.look = time.Now().Add(lookFor)
	} else {
		list = []jobs.Waiting{}
	}
	data, err := json.Marshal(map[string][]jobs.Waiting{"jobs": list})
	if err != nil {
		return yield(endpoint.Event{}, err)
	}
	if bytes.Equal(data, l.queue.told) || l.queue.told == nil && len(list) == 0 {
		return true
	}
	l.queue.told = data
	return yield(endpoint.Event{ID: l.after, Name: queuePlaces, Data: json.RawMessage(data)}, nil)
}
