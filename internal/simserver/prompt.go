package simserver

import (
	"strings"

	"github.com/tidwall/gjson"
)

// The chat template. Every message costs messageOverhead tokens beside its
// content, and the opening of the reply costs replyOverhead:
//
//	<turn start> role \n content <turn end> \n     each message
//	<turn start> assistant \n                      then the reply
//
// Tools come first, as one more system message that holds their JSON. The calls
// of an assistant message follow its content as JSON.
const (
	messageOverhead = 5
	replyOverhead   = 3
)

// roleToken is the token of a role that a message can have.
func roleToken(name string) (id int32, ok bool) {
	switch name {
	case "system":
		return roleSystem, true
	case "developer":
		return roleDeveloper, true
	case "user":
		return roleUser, true
	case "assistant":
		return roleAssistant, true
	case "tool":
		return roleTool, true
	}
	return 0, false
}

// completionPrompt is the ids of the `prompt` of a completion: text, ids, or a
// list of one of them; and the text, if it is one.
func (s *Server) completionPrompt(f *form) (ids []int32, texts []string) {
	value, ok := f.get("prompt")
	if !ok {
		f.fail(refused("prompt", "Either prompt or prompt_embeds must be provided and non-empty."))
		return nil, nil
	}
	if first := value.Get("0"); value.IsArray() && first.Exists() && first.Type != gjson.Number {
		if n := value.Get("#").Int(); n > 1 {
			f.fail(refused("prompt", "this server takes one prompt per request, got %d", n))
			return nil, nil
		}
		value = first
	}
	ids = s.onePrompt(f, value)
	if value.Type == gjson.String {
		texts = []string{value.Str}
	}
	if f.err == nil && len(ids) == 0 {
		f.fail(refused("prompt", "Either prompt or prompt_embeds must be provided and non-empty."))
	}
	return ids, texts
}

func (s *Server) onePrompt(f *form, value gjson.Result) []int32 {
	switch {
	case value.Type == gjson.String:
		return s.tokenizer.encode(nil, value.Str)
	case value.IsArray():
		return s.idList(f, "prompt", value)
	}
	f.fail(invalid("body.prompt", "string_type", "Input should be a valid string or list of token ids"))
	return nil
}

// idList checks a member that is a list of token ids.
func (s *Server) idList(f *form, name string, list gjson.Result) []int32 {
	ids := make([]int32, 0, len(list.Raw)/4)
	list.ForEach(func(_, value gjson.Result) bool {
		id, ok := wholeNumber(value)
		switch {
		case !ok:
			f.fail(invalid("body."+name, "int_type", "Input should be a valid integer"))
		case id < 0:
			f.fail(invalid("body."+name, "greater_than_equal", "Input should be greater than or equal to 0"))
		case id >= s.cfg.Vocabulary:
			f.fail(refused(name, "Token id %d is out of vocabulary", id))
		default:
			ids = append(ids, int32(id))
		}
		return f.err == nil
	})
	return ids
}

// chatPrompt is the ids of the `messages` and `tools` of a chat, with the
// opening of the reply when reply is true, and what the messages say.
func (s *Server) chatPrompt(f *form, reply bool) (ids []int32, texts []string) {
	messages, ok := f.get("messages")
	if !ok {
		f.fail(invalid("body.messages", "missing", "Field required"))
		return nil, nil
	}
	if !messages.IsArray() {
		f.fail(invalid("body.messages", "list_type", "Input should be a valid list"))
		return nil, nil
	}
	if tools, ok := f.get("tools"); ok {
		if !tools.IsArray() || len(tools.Array()) == 0 {
			f.fail(refused("tools", "`tools` must not be an empty array. "+
				"Either provide at least one tool or omit the field entirely."))
			return nil, nil
		}
		ids = s.appendMessage(ids, roleSystem, "Tools: "+tools.Raw)
	}
	messages.ForEach(func(_, message gjson.Result) bool {
		role, content := messageText(f, message)
		ids = s.appendMessage(ids, role, content)
		texts = append(texts, content)
		return f.err == nil
	})
	if len(ids) == 0 {
		f.fail(refused("messages", "messages must not be empty"))
	}
	if reply {
		ids = append(ids, turnStart, roleAssistant, firstByte+'\n')
	}
	return ids, texts
}

func (s *Server) appendMessage(ids []int32, role int32, content string) []int32 {
	ids = append(ids, turnStart, role, firstByte+'\n')
	ids = s.tokenizer.encode(ids, content)
	return append(ids, turnEnd, firstByte+'\n')
}

// messageText checks a message and returns what the template writes of it.
func messageText(f *form, message gjson.Result) (role int32, content string) {
	if !message.IsObject() {
		f.fail(invalid("body.messages", "model_attributes_type", "Input should be a valid dictionary"))
		return 0, ""
	}
	m := newForm(message)
	name := m.text("role", "")
	role, ok := roleToken(name)
	switch {
	case m.err != nil || name == "":
		f.fail(invalid("body.messages.role", "missing", "Field required"))
	case !ok:
		f.fail(refused("messages", "Unexpected message role %q.", name))
	}
	content = contentText(f, m.members["content"])
	if calls, ok := m.get("tool_calls"); ok && len(calls.Array()) > 0 {
		content += calls.Raw
	}
	return role, content
}

// contentText is the content of a message: a string, parts that are text, or
// nothing.
func contentText(f *form, content gjson.Result) string {
	switch {
	case content.Type == gjson.Null:
		return ""
	case content.Type == gjson.String:
		return content.Str
	case !content.IsArray():
		f.fail(invalid("body.messages.content", "string_type", "Input should be a valid string"))
		return ""
	}
	var text strings.Builder
	content.ForEach(func(_, part gjson.Result) bool {
		if part.Get("type").Str != "text" || part.Get("text").Type != gjson.String {
			f.fail(refused("messages", "this is not a multimodal model: content parts must be text"))
			return false
		}
		text.WriteString(part.Get("text").Str)
		return true
	})
	return text.String()
}
