package api

import (
	"lectern/internal/teaching/work"
	"lectern/internal/web/endpoint"
)

// What downloads are, for the document of the API.
var (
	sendsSheet         = endpoint.Made("text/csv")
	sendsArchive       = endpoint.Made("application/zip")
	sendsStoredArchive = endpoint.Stored("application/zip")
	sendsPDF           = endpoint.Stored("application/pdf")
	sendsRecording     = endpoint.Stored(work.MediaTypes("audio/")...)
	sendsMedia         = endpoint.Stored(work.MediaTypes("")...)
)
