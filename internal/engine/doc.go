// Package engine runs scenarios. In go a scenario, the kinds it may name and a
// client; out comes a Result: the verdict, every level with its state, figures,
// checks and guards.
//
//  1. plan: the scenario's expressions are compiled, its levels counted, and
//     refused is what could never be decided (plan*.go).
//  2. preflight: the target is found, and each phase sends it one small session
//     of its own (preflight.go).
//  3. phases, in file order: per level a warm-up, then the load (pace.go,
//     level.go), whose finished requests one collector writes down; before and
//     after it requests with known answers, which are in no figure (canary*.go).
//  4. judgement: guards, then the phase's checks, give the level its state
//     (judge.go, guard*.go).
//  5. verdict: the gated levels give the decision and the exit status (verdict.go).
//
// The engine imports no kind. It declares what a kind must be (kind.go), and the
// program passes the registry in. Pacing, measuring and judging know nothing of
// each other: workers send finished requests on a channel, the collector folds
// them, reports read the finished Result.
package engine
