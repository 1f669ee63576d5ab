package spec
import ("testing";"strings";"fmt";"time";"os")
func TestZZ(t *testing.T){
 n:=900000
 rep:=func(s string) string { return strings.Repeat(s,n/len(s)-1) }
 var uniq strings.Builder; for i:=0; uniq.Len()<450000; i++ { fmt.Fprintf(&uniq,"k%d: 1\n",i) }
 var uniqf strings.Builder; uniqf.WriteString("{"); for i:=0; uniqf.Len()<450000; i++ { fmt.Fprintf(&uniqf,"k%d: 1,",i) }
 var lines strings.Builder; for i:=0; lines.Len()<n-300; i++ { fmt.Fprintf(&lines,"- a: %d\n",i) }
 for name,s:=range map[string]string{
  "dup":rep("a: 1\n"),"items":rep("- x\n"),"open":"a: "+rep("[1, "),"deep":rep("["),"uniq":uniq.String(),"uniqflow":uniqf.String()+"}","quote":"a: '"+rep("x y\n"),
  "late":lines.String()+"b: c\n","early":"a b\n"+lines.String(),"middle":lines.String()[:n/2-n/2%9]+"\n\tx\n"+lines.String()[:n/3],"text":"a: |\n"+rep("  abc def\n"),"plain":"a: "+rep("abc ")+"\n","checks":"name: a\nphases:\n  - checks: {correct: ["+rep("a (, ")+"]}\n",
  "levels":"name: a\nphases:\n  - concurrency: ["+rep("9,")+"]\n", "vars":"a: "+rep("${A}"), "colons": rep("a: b: "), "spaces":rep(" "), "nl":rep("\n"), "comments": rep("# a\n"), "tags":rep("- !a b\n"), "x":"x-a: ["+rep("{a: b},")+"]",
 } {
  if os.Getenv("ZZ")!="" && os.Getenv("ZZ")!=name {continue}
  t0:=time.Now(); _,list:=loadText(s,options()); d:=time.Since(t0)
  m:=""; if len(list)>0 {m=list[0].Message}
  t1:=time.Now(); LoadBaseline("x",[]byte(s)); d2:=time.Since(t1)
  fmt.Printf("%-10s %8s %8s %d %.70s\n",name,d.Round(time.Millisecond),d2.Round(time.Millisecond),len(list),m)
 }
}
