package page

import (
	"html/template"
	"io/fs"
	"slices"
	"sync"
	"time"

	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/signin"
)

// Room is a folder of pages. Another one is such a folder, and a line where the site puts
// its rooms together.
type Room struct {
	Kit
	Parts []*Kit // of several rooms, which this one uses, too
	// Open declares the pages.
	Open func(*Site)
	// Keys are those of the table of words that are put together while a page is drawn: no
	// template and no program names them in full.
	Keys func() []string
	// Shortcuts are the keys that do something in the room, for the help; nil: none do.
	Shortcuts func(*Language) []Shortcut
}

// all are the kits that the pages of a room are drawn from.
func (r *Room) all() []*Kit { return append(slices.Clone(r.Parts), &r.Kit) }

// Kit is what pages are drawn from. In its files, templates holds pages, each the file of
// its name that defines main and perhaps head, and the style sheets they link; components
// holds what pages are put together from, each a file with the one template of its name,
// and its style beside it.
type Kit struct {
	Files fs.FS
	// Funcs are what templates call beside what all do; nil: nothing.
	Funcs func(*Language) template.FuncMap
}

// Shortcut is what a key does.
type Shortcut struct{ Key, Words string }

// House is the rooms of a site with what they are drawn from.
type House struct {
	rooms  []*Room
	kits   []*Kit // of all of them, each once
	assets func() map[string]asset
	drawn  sync.Map // by language
	icons  sync.Map // what icon drew, by name and classes: there are as many as templates name
}

// NewHouse puts rooms together.
func NewHouse(rooms ...*Room) *House {
	h := &House{rooms: rooms, kits: []*Kit{own}}
	for _, r := range rooms {
		for _, k := range r.all() {
			if !slices.Contains(h.kits, k) {
				h.kits = append(h.kits, k)
			}
		}
	}
	h.assets = sync.OnceValue(h.findAssets)
	return h
}

// Kits are what the pages of all rooms are drawn from, each once.
func (h *House) Kits() []*Kit { return h.kits }

// Keys are those of the table of words that rooms put together while a page is drawn.
func (h *House) Keys() (keys []string) {
	for _, r := range h.rooms {
		if r.Keys != nil {
			keys = append(keys, r.Keys()...)
		}
	}
	return keys
}

// Site is what a room's handlers stand on: the server that pages are declared on, the use
// cases and the sign-in they call, and the words they speak.
type Site struct {
	*endpoint.Server
	Usecases *usecase.Service
	SignIn   *signin.Service
	Words    *Language
	Now      func() time.Time
	// Styleguide shows the page of all components, which is for whoever builds pages.
	Styleguide bool
	house      *House
	drawn      Drawings
}

// Open declares the pages of all rooms on a site that has its server.
func (h *House) Open(s *Site) {
	s.house, s.drawn = h, h.Drawn(s.Words)
	s.assetRoutes()
	s.offlineRoutes()
	for _, r := range h.rooms {
		if r.Open != nil {
			r.Open(s)
		}
	}
}

// Shortcuts are the keys that do something in any room.
func (s *Site) Shortcuts() (list []Shortcut) {
	for _, r := range s.house.rooms {
		if r.Shortcuts != nil {
			list = append(list, r.Shortcuts(s.Words)...)
		}
	}
	return list
}
