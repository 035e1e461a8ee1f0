// Package connect tells others what happened: people by email, programs by webhooks, and the outside
// similarity service about documents.
//
// May import: ground, platform, people, teaching.
package connect
