package api

import (
	"lectern/internal/api/endpoint"
	"lectern/internal/work"
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
