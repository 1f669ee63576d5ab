package engine

import (
	"encoding/json"
	"slices"

	"scenario/internal/chat"
	"scenario/internal/spec"
)

// Composer builds request bodies: a kind gives the prompt and its own fields,
// the composer adds what the phase and the target say.
type Composer struct {
	Model       string
	API         chat.API
	LimitField  string // max_tokens, or max_completion_tokens
	Stream      bool
	Temperature spec.Optional[float64]
	Seed        spec.Optional[int64]
	Body        []spec.BodyField
	Retries     int
}

// NewComposer is the composer of one phase on one target.
func NewComposer(p *spec.Phase, api chat.API, model, limitField string) *Composer {
	return &Composer{
		Model: model, API: api, LimitField: limitField, Stream: p.Stream,
		Temperature: p.Temperature, Seed: p.Seed, Body: p.Body, Retries: p.Retries,
	}
}

// Request is the request for a prompt (its fields) with a limit of output
// tokens; extra fields stand after the sampling ones. Fields of the phase's body
// replace equal names, or remove them.
func (c *Composer) Request(endpoint int, prompt []chat.Field, limit int, extra ...chat.Field) (*chat.Request, error) {
	fields := []chat.Field{{Name: "model", Value: c.Model}}
	fields = append(fields, prompt...)
	fields = append(fields, chat.Field{Name: c.LimitField, Value: limit})
	if c.Temperature.Set {
		fields = append(fields, chat.Field{Name: "temperature", Value: c.Temperature.Value})
	}
	if c.Seed.Set {
		fields = append(fields, chat.Field{Name: "seed", Value: c.Seed.Value})
	}
	fields = append(fields, extra...)
	fields = append(fields, chat.Field{Name: "stream", Value: c.Stream})
	if c.Stream {
		usage := []chat.Field{{Name: "include_usage", Value: true}}
		fields = append(fields, chat.Field{Name: "stream_options", Value: usage})
	}
	body, err := chat.Encode(c.override(fields))
	if err != nil {
		return nil, err
	}
	return &chat.Request{API: c.API, Endpoint: endpoint, Body: body, Stream: c.Stream, Retries: c.Retries}, nil
}

func (c *Composer) override(fields []chat.Field) []chat.Field {
	for _, set := range c.Body {
		i := slices.IndexFunc(fields, func(f chat.Field) bool { return f.Name == set.Name })
		switch {
		case set.Unset && i >= 0:
			fields = slices.Delete(fields, i, i+1)
		case set.Unset:
		case i >= 0:
			fields[i].Value = json.RawMessage(set.Value)
		default:
			fields = append(fields, chat.Field{Name: set.Name, Value: json.RawMessage(set.Value)})
		}
	}
	return fields
}
