// Package teaching holds the rules of the domain: units and enrolments, what is asked of students, what they
// submit, what staff answer, and everything computed from that. It knows neither HTTP nor email.
//
// May import: ground, platform, people.
package teaching
