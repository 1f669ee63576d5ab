package spec
import ("testing";"os";"fmt";"math/rand";"time";"strings";"runtime";"scenario/schema")
func TestScratchFuzz(t *testing.T){
 if os.Getenv("SF")=="" {t.Skip()}
 rules,_:=scenarioRules(options().Kinds); brules,_:=compile(schema.Baseline())
 var seeds []string
 for _,f:=range []string{"/tmp/spec/in.txt","/tmp/spec/in1.txt","/tmp/spec/b.txt"} { b,_:=os.ReadFile(f); seeds=append(seeds,strings.Split(string(b),"\n=====\n")...)}
 frag:=[]string{"\t"," ","- ","&a ","*a","<<: *a","!x ","{","}","[","]",": ","#"," #","'","\"","|\n","|2\n",">-\n","${A}","${FOUR}","$${","\n","\n  ","---\n","...\n","? ","\r\n","\u2028","\u0085","é","日本","\\","%","@","x-a: ","null","~",".inf","010","1e3","defaults: ","phases:\n","\x00","\xff","&a [*a]"}
 r:=rand.New(rand.NewSource(time.Now().UnixNano()))
 end:=time.Now().Add(30*time.Second); n:=0
 for time.Now().Before(end) {
  s:=[]byte(seeds[r.Intn(len(seeds))])
  for k:=r.Intn(6);k>=0;k-- { i:=r.Intn(len(s)+1); f:=frag[r.Intn(len(frag))]
    switch r.Intn(3){ case 0: s=append(append(append([]byte{},s[:i]...),f...),s[i:]...); case 1: j:=min(len(s),i+r.Intn(10)); s=append(append([]byte{},s[:i]...),s[j:]...); case 2: j:=min(len(s),i+r.Intn(30)); s=append(append(append([]byte{},s[:j]...),s[i:j]...),s[j:]...)}}
  tm:=time.AfterFunc(5*time.Second,func(){ fmt.Printf("SLOW %q\n",s); buf:=make([]byte,1<<16); buf=buf[:runtime.Stack(buf,true)]; fmt.Println(string(buf)); os.Exit(3)})
  o:=options(); if r.Intn(3)==0 {o.Set=[]string{frag[r.Intn(len(frag))]+"="+frag[r.Intn(len(frag))], "phases.*.checks.correct="+frag[r.Intn(len(frag))]}}
  sc,list:=load("fuzz.yaml",s,o,rules)
  if (sc==nil)!=list.HasErrors() {t.Fatalf("%q",s)}
  inside(t,s,list)
  bb,list:=loadBaseline("fuzz.yaml",s,brules); if (bb==nil)!=list.HasErrors() {t.Fatalf("%q",s)}
  inside(t,s,list)
  if sc!=nil { func(){ defer func(){ if t.Failed() {fmt.Printf("INPUT %q\n",s)} }(); reload(t,sc,rules)}() ; if t.Failed(){return}}
  tm.Stop(); n++
 }
 fmt.Println("execs",n)
}
