package engine

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// waitingTime is, by thread, how long the threads of this process have been ready
// to run without a core (the second number of schedstat); nil: not known.
func waitingTime() map[int]time.Duration {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil
	}
	waiting := make(map[int]time.Duration, len(threads))
	for _, thread := range threads {
		data, err := os.ReadFile("/proc/self/task/" + thread.Name() + "/schedstat")
		if err != nil {
			continue // it has ended
		}
		fields := bytes.Fields(data)
		id, idErr := strconv.Atoi(thread.Name())
		if len(fields) < 2 || idErr != nil {
			return nil
		}
		ns, err := strconv.ParseInt(string(fields[1]), 10, 64)
		if err != nil {
			return nil
		}
		waiting[id] = time.Duration(ns)
	}
	return waiting
}
