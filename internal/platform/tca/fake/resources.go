package fake

import (
	"fmt"
	"net/http"
	"strings"
)

func (s *Service) features(*request) (int, any) {
	return http.StatusOK, map[string]any{
		"tenant": map[string]any{"require_eula": !s.opts.NoEULA}, "product_name": "Stand-in",
		"access_options": []string{"CORE_API"},
		"similarity": map[string]any{"viewer_modes": map[string]bool{"match_overview": true},
			"generation_settings": map[string]any{"search_repositories": []string{"INTERNET", "SUBMITTED_WORK"},
				"submission_auto_excludes": true}},
	}
}

func known(version string) bool { return version == "latest" || version == Version }

func (s *Service) eula(in *request) (int, any) {
	if !known(in.PathValue("version")) {
		return problem(http.StatusNotFound, "No such version")
	}
	return http.StatusOK, map[string]any{"version": Version, "valid_from": "2024-01-01T00:00:00Z", "valid_until": nil,
		"url": "http://" + in.Host + "/api/v1/eula/" + Version + "/view", "available_languages": []string{"en-US"}}
}

func (s *Service) eulaText(in *request) (int, any) {
	if !known(in.PathValue("version")) {
		return problem(http.StatusNotFound, "No such version")
	}
	return http.StatusOK, raw{"text/plain; charset=utf-8", []byte(Agreement)}
}

func (s *Service) acceptEULA(in *request) (int, any) {
	if !known(in.PathValue("version")) || in.json["version"] != Version {
		return problem(http.StatusNotFound, "No such version")
	}
	s.accepted[in.json["user_id"].(string)] = true
	return http.StatusOK, in.json
}

func (s *Service) putGroup(in *request) (int, any) {
	if in.json["id"] != in.PathValue("group") {
		return problem(http.StatusBadRequest, "The id differs from that of the path")
	}
	s.groups[in.PathValue("group")] = in.json
	return http.StatusOK, map[string]string{"message": "Successfully updated the group"}
}

func (a *Attachment) shown() map[string]any {
	return map[string]any{"id": a.ID, "title": a.Title, "status": a.Status, "template": false}
}

func (s *Service) listAttachments(in *request) (int, any) {
	list := []map[string]any{}
	for _, a := range s.attachments {
		if a.Group == in.PathValue("group") {
			list = append(list, a.shown())
		}
	}
	return http.StatusOK, map[string]any{"attachments": list}
}

func (s *Service) addAttachment(in *request) (int, any) {
	if s.groups[in.PathValue("group")] == nil {
		return problem(http.StatusNotFound, "No such group")
	}
	a := &Attachment{ID: newID(), Group: in.PathValue("group"), Title: in.json["title"].(string), Status: "CREATED"}
	s.attachments[a.ID] = a
	return http.StatusCreated, map[string]string{"id": a.ID}
}

func (s *Service) attachment(in *request) *Attachment {
	if a := s.attachments[in.PathValue("id")]; a != nil && a.Group == in.PathValue("group") {
		return a
	}
	return nil
}

func (s *Service) uploadAttachment(in *request) (int, any) {
	a := s.attachment(in)
	switch {
	case a == nil:
		return problem(http.StatusNotFound, "No such attachment")
	case a.Status != "CREATED":
		return problem(http.StatusConflict, "There is a file already")
	}
	a.Status, a.File = "PROCESSING", in.body
	s.process(func() {
		a.Status = "COMPLETE"
		s.tell("GROUP_ATTACHMENT_COMPLETE", a.shown())
	})
	return http.StatusAccepted, map[string]string{"message": "Successfully uploaded"}
}

func (s *Service) getAttachment(in *request) (int, any) {
	a := s.attachment(in)
	if a == nil {
		return problem(http.StatusNotFound, "No such attachment")
	}
	return http.StatusOK, a.shown()
}

func (s *Service) deleteAttachment(in *request) (int, any) {
	a := s.attachment(in)
	if a == nil {
		return problem(http.StatusNotFound, "No such attachment")
	}
	delete(s.attachments, a.ID)
	return http.StatusNoContent, nil
}

func (s *Service) addSubmission(in *request) (int, any) {
	owner, sender := in.json["owner"].(string), in.json["submitter"].(string)
	if in.json["eula"] != nil {
		s.accepted[sender] = true
	}
	if !s.opts.NoEULA && !s.accepted[sender] {
		return problem(http.StatusUnavailableForLegalReasons, "The submitter has not accepted the EULA")
	}
	sub := &Submission{ID: newID(), Owner: owner, Title: in.json["title"].(string), Status: "CREATED",
		PDFs: map[string]string{}}
	s.submissions[sub.ID] = sub
	return http.StatusCreated, map[string]any{"id": sub.ID, "owner": owner, "title": sub.Title, "status": sub.Status,
		"created_time": "2024-01-01T00:00:00Z"}
}

func (s *Service) submission(in *request) *Submission {
	if sub := s.submissions[in.PathValue("id")]; sub != nil && !sub.Deleted {
		return sub
	}
	return nil
}

func (s *Service) uploadSubmission(in *request) (int, any) {
	sub := s.submission(in)
	switch {
	case sub == nil:
		return problem(http.StatusNotFound, "No such submission")
	case sub.Status != "CREATED":
		return problem(http.StatusConflict, "There is a file already")
	}
	sub.Status, sub.File, sub.Uploads = "PROCESSING", in.body, sub.Uploads+1
	_, sub.FileName, _ = strings.Cut(in.Header.Get("Content-Disposition"), "filename=")
	s.process(func() {
		sub.Status = "COMPLETE"
		if sub.Error = s.refusal; sub.Error != "" {
			sub.Status = "ERROR"
		}
		s.tell("SUBMISSION_COMPLETE", sub.shown())
	})
	return http.StatusAccepted, map[string]string{"message": "Successfully uploaded"}
}

func (s *Submission) shown() map[string]any {
	return map[string]any{"id": s.ID, "owner": s.Owner, "title": s.Title, "status": s.Status, "error_code": s.Error,
		"content_type": "application/pdf", "page_count": 1, "word_count": 100, "character_count": 600,
		"created_time": "2024-01-01T00:00:00Z", "capabilities": []string{"INDEX", "VIEWER", "SIMILARITY"}}
}

func (s *Service) getSubmission(in *request) (int, any) {
	sub := s.submission(in)
	if sub == nil {
		return problem(http.StatusNotFound, "No such submission")
	}
	return http.StatusOK, sub.shown()
}

func (s *Service) deleteSubmission(in *request) (int, any) {
	sub := s.submission(in)
	if sub == nil {
		return problem(http.StatusNotFound, "No such submission")
	}
	sub.Deleted, sub.File = true, nil
	return http.StatusOK, map[string]string{"message": "Successfully deleted"}
}

func (s *Service) requestReport(in *request) (int, any) {
	sub := s.submission(in)
	switch {
	case sub == nil:
		return problem(http.StatusNotFound, "No such submission")
	case sub.Status != "COMPLETE" || sub.Report == "PROCESSING":
		return problem(http.StatusConflict, "The submission is still being processed")
	}
	indexing, _ := in.json["indexing_settings"].(map[string]any)
	sub.Index, _ = indexing["add_to_index"].(bool)
	sub.Report, sub.Reports = "PROCESSING", sub.Reports+1
	s.process(func() {
		sub.Report, sub.Percent = "COMPLETE", s.opts.Percent
		s.tell("SIMILARITY_COMPLETE", sub.report())
	})
	return http.StatusAccepted, map[string]string{"message": "Successfully requested"}
}

func (s *Submission) report() map[string]any {
	out := map[string]any{"submission_id": s.ID, "status": s.Report, "time_requested": "2024-01-01T00:00:00Z"}
	if s.Report == "COMPLETE" {
		out["overall_match_percentage"], out["internet_match_percentage"] = s.Percent, s.Percent
		out["top_matches"] = []any{}
	}
	return out
}

func (s *Service) getReport(in *request) (int, any) {
	sub := s.submission(in)
	if sub == nil || sub.Report == "" {
		return problem(http.StatusNotFound, "No such report")
	}
	return http.StatusOK, sub.report()
}

func (s *Service) requestPDF(in *request) (int, any) {
	sub := s.submission(in)
	switch {
	case sub == nil || sub.Report == "":
		return problem(http.StatusNotFound, "No such report")
	case sub.Report != "COMPLETE":
		return problem(http.StatusConflict, "The report is still being made")
	}
	id := newID()
	sub.PDFs[id] = "PENDING"
	s.process(func() {
		sub.PDFs[id] = "SUCCESS"
		s.tell("PDF_STATUS", map[string]any{"id": id, "submission_id": sub.ID, "status": "SUCCESS"})
	})
	return http.StatusOK, map[string]string{"id": id}
}

func (s *Service) pdfStatus(in *request) (int, any) {
	sub := s.submission(in)
	if sub == nil || sub.PDFs[in.PathValue("pdf")] == "" {
		return problem(http.StatusNotFound, "No such PDF")
	}
	return http.StatusOK, map[string]string{"status": sub.PDFs[in.PathValue("pdf")]}
}

func (s *Service) downloadPDF(in *request) (int, any) {
	sub := s.submission(in)
	switch {
	case sub == nil || sub.PDFs[in.PathValue("pdf")] == "":
		return problem(http.StatusNotFound, "No such PDF")
	case sub.PDFs[in.PathValue("pdf")] != "SUCCESS":
		return http.StatusAccepted, map[string]string{"status": sub.PDFs[in.PathValue("pdf")]}
	}
	return http.StatusOK, raw{"application/pdf", PDF(sub.Title, sub.Percent)}
}

func (s *Service) viewerURL(in *request) (int, any) {
	sub := s.submission(in)
	if sub == nil || sub.Report != "COMPLETE" {
		return problem(http.StatusNotFound, "No such report")
	}
	return http.StatusOK, map[string]string{"viewer_url": "http://" + in.Host + "/viewer/" + sub.ID}
}

// showReport is the page behind a viewer's address.
func (s *Service) showReport(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	sub := s.submissions[r.PathValue("id")]
	s.mu.Unlock()
	if sub == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintf(w, "%s: %d %% is found elsewhere.\n", sub.Title, sub.Percent)
}
