package main

import "testing"

// TestCalibrate wants every event of a trial handled: how late is the machine's
// business.
func TestCalibrate(t *testing.T) {
	trial, err := calibrate(t.Context(), 8)
	if err != nil {
		t.Fatal(err)
	}
	held, known := trial.Held.Number()
	if lag, ok := trial.LagP99.Duration(); !known || held <= 0 || held > 1 || !ok || lag < 0 {
		t.Errorf("held %v, lag %v", held, lag)
	}
	if trial.Streams != 8 || trial.Rate != trialRate {
		t.Errorf("%d streams at %v events/s", trial.Streams, trial.Rate)
	}
}
