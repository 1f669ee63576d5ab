package chat

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The events of a stream, in short.

func event(json string) string { return "data: " + json + "\n\n" }

func str(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func delta(members string) string {
	return event(`{"choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`)
}

func c(s string) string  { return delta(`"content":` + str(s)) }
func r(s string) string  { return delta(`"reasoning":` + str(s)) }
func rc(s string) string { return delta(`"reasoning_content":` + str(s)) }

func x(s string) string {
	return event(`{"choices":[{"index":0,"text":` + str(s) + `,"finish_reason":null}]}`)
}

// absent leaves a member of a tool call out; none leaves its index out.
const (
	absent = "\x00"
	none   = -1
)

func tc(index int, id, name, args string) string {
	var call, function []string
	if index != none {
		call = append(call, fmt.Sprintf(`"index":%d`, index))
	}
	if id != absent {
		call = append(call, `"id":`+str(id))
	}
	if name != absent {
		function = append(function, `"name":`+str(name))
	}
	if args != absent {
		function = append(function, `"arguments":`+str(args))
	}
	call = append(call, `"type":"function"`, `"function":{`+strings.Join(function, ",")+`}`)
	return delta(`"tool_calls":[{` + strings.Join(call, ",") + `}]`)
}

func finish(reason string) string {
	return event(`{"choices":[{"index":0,"delta":{},"finish_reason":` + str(reason) + `}]}`)
}

func counts(prompt, output int) string {
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, prompt, output, prompt+output)
}

func used(prompt, output int) string {
	return event(`{"choices":[],"usage":` + counts(prompt, output) + `}`)
}

const (
	role = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	done = "data: [DONE]\n\n"
)
