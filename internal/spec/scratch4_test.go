package spec
import ("testing";"os")
func BenchmarkLoad(b *testing.B){ src,_:=os.ReadFile("/tmp/spec/good.yaml"); for b.Loop(){ Load("x",src,options()) } }
func BenchmarkBundle(b *testing.B){ for b.Loop(){ scenarioRules(options().Kinds) } }
