package api

import "lectern/internal/api/endpoint"

// What downloads are, for the document of the API.
var (
	sendsSheet         = endpoint.Made("text/csv")
	sendsArchive       = endpoint.Made("application/zip")
	sendsStoredArchive = endpoint.Stored("application/zip")
	sendsPDF           = endpoint.Stored("application/pdf")
	sendsRecording     = endpoint.Stored("audio/*", "video/*")
	sendsMedia         = endpoint.Stored("image/*", "audio/*", "video/*", "application/pdf")
)
