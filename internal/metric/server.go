package metric

// Server holds what the server itself said of a level's load, by the counters and
// gauges of its metrics, of all base URLs together. What it does not publish is
// unknown. Gauges were read about once a second, so that what lay between two
// readings is not in them.
type Server struct {
	RunningMax      Number `json:"running_max" doc:"most requests that the server computed at once, of the readings taken during the load"`
	WaitingMax      Number `json:"waiting_max" doc:"most requests that waited in the server at once, of the same readings"`
	KVUsageMax      Number `json:"kv_usage_max" doc:"largest share of the KV cache in use, 0 to 1, of the same readings and of the fullest engine"`
	Preemptions     Number `json:"preemptions" doc:"requests that the server took out of its running batch during the load, for lack of KV cache"`
	SpecAcceptRatio Number `json:"spec_accept_ratio" doc:"speculative decoding: drafted tokens that were accepted / drafted, during the load (of a server that has no such counters, the mean of its gauge at the readings); unknown where none were drafted"`

	PromptTokens     Number `json:"prompt_tokens" unit:"tokens" doc:"prompt tokens that the server counted during the load, whoever sent them"`
	GenerationTokens Number `json:"generation_tokens" unit:"tokens" doc:"tokens that the server generated during the load, for whomever"`
	CachedRatio      Number `json:"cached_ratio" doc:"prompt tokens that the server found in its prefix cache / prompt tokens it counted, during the load"`
	Samples          int    `json:"samples" doc:"readings of the gauges during the load"`
}
