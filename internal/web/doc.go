// Package web holds everything that speaks HTTP to callers: the server, the machinery of endpoints and pages,
// sign-in, and the two faces, the JSON API and the pages. Rooms to come: other faces beside them.
//
// May import: ground, platform, people, teaching, connect, usecase.
package web
