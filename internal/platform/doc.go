// Package platform holds what the service needs of the world it runs in, without a word of teaching:
// databases, files, jobs, events, the audit chain, documents, sheets, archives, mail, containers, calendars
// and the client of the outside similarity service.
//
// May import: ground.
package platform
