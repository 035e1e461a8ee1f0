// Package app puts the service together: it reads the settings, opens what they
// name, starts it in order and stops it in the reverse order.
//
// May import: ground, platform, people, teaching, connect, usecase, web.
package app
