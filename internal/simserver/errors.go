package simserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// apiError is a refusal in the shape that vLLM gives it.
type apiError struct {
	status  int
	kind    string // "BadRequestError", "NotFoundError", …
	message string
	param   string // the field at fault; empty: null
}

func (e *apiError) Error() string { return e.message }

// invalid is the error for a field that has the wrong type or form. problem is
// the code and msg the sentence that the server's validator uses for it.
func invalid(param, problem, msg string) *apiError {
	return &apiError{
		status:  http.StatusBadRequest,
		kind:    "Bad Request",
		message: fmt.Sprintf("1 validation error:\n  {'type': '%s', 'loc': '%s', 'msg': '%s'}", problem, param, msg),
		param:   param,
	}
}

// refused is the error for a field whose value is well formed and not possible.
func refused(param, format string, args ...any) *apiError {
	return &apiError{
		status:  http.StatusBadRequest,
		kind:    "BadRequestError",
		message: fmt.Sprintf(format, args...) + fmt.Sprintf(" (parameter=%s)", param),
		param:   param,
	}
}

// unknownModel is the error for a model that is not served.
func unknownModel(name, served string) *apiError {
	return &apiError{
		status:  http.StatusNotFound,
		kind:    "NotFoundError",
		message: fmt.Sprintf("The model `%s` does not exist. Valid aliases: %s.", name, served),
		param:   "model",
	}
}

// write sends the error as the response.
func (e *apiError) write(w http.ResponseWriter) {
	type body struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    int     `json:"code"`
	}
	b := body{Message: e.message, Type: e.kind, Code: e.status}
	if e.param != "" {
		b.Param = &e.param
	}
	writeJSON(w, e.status, map[string]body{"error": b})
}

// writeJSON sends v as the response. Every v is made here and can be encoded, so
// the only error left is a connection that is gone, which nobody here can help.
func writeJSON(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v)
	body.Truncate(max(0, body.Len()-1)) // the encoder's newline
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}
