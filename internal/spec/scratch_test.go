package spec
import ("testing";"os";"fmt";"strings")
func TestScratch(t *testing.T){
 src,_:=os.ReadFile("/tmp/spec/in.txt")
 for _, part := range strings.Split(string(src), "\n=====\n") {
   fmt.Printf("----------\n")
   s, list := Load("t.yaml", []byte(part), options())
   fmt.Print(list.String())
   if s!=nil { fmt.Print(string(s.Resolved())) }
 }
}
