package simserver

// The words that are one token each. The model speaks in those of the first
// seven lists, so their sizes are what keeps its sentences from repeating: an
// eight-word stretch is one of more than 2^40. No word stands in two lists.
const (
	determiners = `the this that our their its every each another his her your`

	adjectives = `ancient narrow quiet bright broken careful central clever common compact copper curious
daily damp deep dense distant dry dusty eager early eastern empty even exact faint familiar
fast final firm flat fresh full gentle giant golden grand gray green heavy hidden high
hollow honest huge idle inner iron large late lean level light little local lone long loose
loud lower main major marine mild minor modern modest mountain muddy native neat new noble
normal northern novel oak odd old open orange outer pale patient plain polite proper proud
public pure quick rapid rare ready real recent red remote rich rigid rough round royal rural
rusty safe salty secret serious severe sharp short silent silver simple slow small smooth
soft solid southern spare square stable steady steep stiff stone strange strict strong
sudden summer sunny sweet tall tender thick thin tidy tiny total upper urban useful usual
vague vast warm weak western wet white whole wide wild winter wise wooden yellow young`

	nouns = `acorn airport anchor apple arch arrow artist atlas autumn baker barn barrel basin basket
beacon bell bench berry bicycle bishop blanket blossom boat border bottle branch brick
bridge brook bucket builder button cabin cable camera canal candle canyon captain castle
cedar cellar chapel chart cherry chimney circle citizen cliff clock cloud coast coin colony
compass cottage cotton crane crew crown crystal current curtain customer dancer dairy desert
doctor dolphin driver eagle editor elbow engine engineer envelope evening factory falcon
farmer feather fence ferry festival field finger fire fisher flag flame flower forest
fountain fox frame garden gate glacier glass glove grain granite grove guard guest guitar
hammer harbor harvest hawk hedge helmet hill horizon horse hotel hunter island jacket jewel
journal journey judge kettle kitchen ladder lagoon lake lamp lantern leader leather ledger
letter library lighthouse linen lizard lodge machine magnet map maple marble market marsh
mason meadow melody merchant metal miller mirror monument moon morning motor mural museum
needle neighbor nest notebook ocean office orchard otter oven owner paddle painter palace
panel paper parcel park path pattern pearl pencil pepper piano picture pigeon pilot pine
pirate planet plateau platform pocket poem poet pond porch potter powder prairie printer
prize pump quarry rabbit radio railway rain raven reader reef ribbon ridge river road robin
rocket roof rope saddle sailor salmon school sculptor seed senator shadow shelter shepherd
ship shore signal singer sketch sky smith snow soldier song sparrow spider spring stadium
stair star station steamer storm stove stream street student studio sugar surgeon swallow
table tailor teacher temple tent theater thread throne thunder ticket tiger timber tower
town trader trail train traveler treasure tree tunnel turtle valley vessel village violin
visitor volcano voyage wagon walnut waterfall weaver wheel whistle willow window wing
witness wolf worker workshop writer yard`

	verbs = `accepts admires adjusts answers arranges avoids balances borrows bothers brings brushes
builds buries calls carries catches changes charges chases checks chooses circles cleans
climbs closes collects colors compares completes confirms considers copies corrects counts
covers creates crosses defends delivers describes designs directs discovers divides draws
drives earns enjoys enters examines exceeds expands explains explores faces fastens feeds
fills finds finishes fixes follows forgets forms gathers gives greets grows guards guides
handles hears heats helps hides holds honors ignores imagines improves includes inspects
invents invites joins keeps kicks knows leads leaves lifts limits lists loads locates loses
loves marks matches measures meets mends mentions mixes moves names needs notices observes
offers opens orders owns packs paints passes pays plants polishes praises prepares presents
presses protects proves provides pulls pushes raises reaches reads receives records reflects
remembers removes repairs repeats replaces reports rescues returns reveals rings saves sees
sells sends serves shakes shapes shares shows signs sorts studies supplies supports
surprises surrounds teaches tests throws touches traces tracks trades trusts turns uses
visits wants warns washes watches weighs welcomes wins`

	adverbs = `always barely boldly briefly calmly carefully cheaply clearly closely eagerly easily evenly
exactly fairly finally firmly freely gently gladly hardly kindly lately mostly nearly neatly
never often openly partly plainly politely poorly promptly properly proudly quickly quietly
rapidly rarely really safely seldom sharply silently simply slowly smoothly softly sometimes
soon steadily still strongly suddenly surely swiftly tightly truly usually warmly wisely`

	prepositions = `above across after against along among around before behind below beneath beside between
beyond by for from in inside into near on onto outside over past through toward under upon
with within without`

	conjunctions = `and but while because although so until when where whereas unless since`

	// readOnly are words that the model reads as one token and never says.
	readOnly = `a an of to is was are were be been being am do does did have has had will would can could
may might must should shall not no yes if then than there here it he she they we you i me
him them us my mine who what which how why as at or out up down off about again all any both
few more most other some such only own same too very one two three four five six seven eight
nine ten please answer question code number record value list item name word find tell give
call tool message reply text line page time day week month year people water work make made
use used get got go went come came take took see saw know think say said let want need place
case point part side hand head house world life system user context token model data file
order price stock depot box crate log note entry return count sum add date city state
country first second third last next during however also just back well way good great right
left big much many able accept account act action active actually address ago agree air
alone already amount animal area arm army art ask attack baby bad ball bank base bear beat
beautiful become bed began begin believe best better bill bit black blood blue board body
born bought break brother brought build building built business buy care carry catch cause
cell center century chance change character check child children choice choose church class
clean clear close cold college coming community company complete computer condition contain
continue control cook corner cost course court cover create cross cry cup cut dark daughter
dead deal death decide decided decision degree depend describe design detail develop
difference different difficult dinner direct direction discuss doing done door double draw
dream dress drink drive drop ear earth east easy eat education effect effort egg either else
energy enough example except expect experience eye face fact fall family father fear feel
feet felt fight figure fine finish fish fly foot force foreign form free friend front
function future game gave girl glad gone government ground group grow grew gun hair half
happen happened happy hard hat heart heat heard held help history hit hold hope hot hour
hundred husband important inch include increase indeed industry information interest issue
itself job join kept key kid kill king knew knowledge known land language law lay lead learn
least leave led less lie likely listen lived living look looked lose loss lost lot love
manager matter mean meant measure meet member memory men mind minute miss moment money
mother mouth move movement music necessary network news night north nothing notice numbers
object offer oil once opening others pain paint pair parent particular parts party pass pay
perhaps period person phone pick piece pull push position possible power present president
pretty private problem process produce product program project property provide quality
quite race ran range rate rather read reason relationship remember remove rest result rise
rock role room rule run sale sat save scale scene science score sea season seat seem seen
sell send sense sent sentence separate serve service set several shape shop shot shoulder
shown sick sign similar sister sit size skill skin sleep society son sort sound source south
space speak special spend spoke spread stage stand stay step stop story strategy strength
structure success support sure surface teach team term test thank themselves theory thing
thirty those thousand though thought threw throughout throw thus together told tomorrow
tonight top touch trade tried trip trouble true trust truth try turn type understand unit
various view visit voice vote wait walk wall war watch weapon wear weather weight west wife
win wind wish woman women wonder wrong wrote yesterday yet input output server error status
update request response string integer boolean array search report summary verify correct
expected actual values items codes`
)
