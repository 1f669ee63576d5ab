package simserver

import "net/http"

// errorsUnderLoad is a deployment that answers a single user and breaks with a
// few.
func errorsUnderLoad() Persona {
	const bearable = 4 // in flight
	return Persona{
		Name: "errors-under-load",
		Doc:  "answers every third request with status 503 or 500 while more than four are in flight",
		bend: func(c *Config) {
			c.faults.refuse = func(now load) *apiError {
				switch {
				case now.inFlight <= bearable || now.number%3 != 0:
					return nil
				case now.number%2 == 0:
					return &apiError{
						status:  http.StatusServiceUnavailable,
						kind:    "ServiceUnavailableError",
						message: "The engine is overloaded, try again later.",
					}
				default:
					return &apiError{
						status:  http.StatusInternalServerError,
						kind:    "InternalServerError",
						message: "The engine could not process the request.",
					}
				}
			}
		},
	}
}
