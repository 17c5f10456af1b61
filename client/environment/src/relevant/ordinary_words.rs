//! Words that are also names of packages: alone they do not mention one.

/// Words of English and of programming. A package with such a name is mentioned only in the syntax of packages.
const COMMON: &str = "
about abstract accept access account action actions active adapter add address admin after agent alert alias all an and
angle annotation any api app apps archive area args array arrow as asset assets async at atom attach audio auth author auto
avatar average aws back backend backup badge balance bar base basic batch be before bin binary bind bit block blog board bold
book boolean boot border bot bottom box branch bridge broken browser buffer bug build builder bundle button by byte bytes
cache calendar call callback camera can cancel canvas capture card cargo case catalog category cell chain change channel char
chart chat check checksum child chrome circle class clean cli click client clipboard clock clone close cloud cluster code
coda collection color colors column command comment commit common compare compile compiler complete component components
compose compress config configuration connect connection console constant constants contact container content context control
convert cookie cookies copy core corner cors count counter cover create credentials cron crypto css csv current cursor custom
cycle dash data database date dates db debug decimal decode decorator default define delay delete demo depth design desktop
detail dev device diff dir directory disk dispatch display do docker docs document domain done dot down download drag draw drive
driver duration dynamic each edge edit editor effect element else email embed emit empty enable encode encoding end engine entity
entry enum env environment error errors escape event events every example exec exit expand expect export express extend
extension external extra fail fake false fast fetch field file files filter finally find first fix flag flags flash flat flow
focus folder font for force form format forms forward frame framework free fresh from front full func function functions future
game gateway gem general generate generator get git glob global go graph grid group guard gui handle handler hash header headers
health heap help helper helpers hex hidden history home hook hooks host hot html http https icon icons id if image images import
in include index info init inject inline inner input insert inspect install instance int integer interface internal interval io
ip is issue item iterator java job join js json just key keys keyword kind label lambda language last layer layout lazy left
length level lib library light limit line link list listen live load loader local locale lock log logger logging login logs long
look loop main make manager map mapper mark markdown mask master match math max memory menu merge message messages meta method
metric metrics middleware mime min mini mirror mixin mobile mock modal mode model models modern module modules money monitor
month more mouse move multi name native navigation nested network new next no node none normalize not notice notification now
null number object observer of off offset on once one only open operator option optional options or order os out outer output
over package page pager pages pair panel parallel param params parent parse parser part parts pass password patch path paths
pattern pause peer permission person phone php picker pid ping pip pipe pipeline pixel plain plan platform player plugin plugins
point policy poll pool pop popup port portal post prefix prepare preset pretty preview print private process processor product
profile program progress project promise prompt prop property props protocol provider proxy public publish pull push python query
queue quick quote random range rate raw react-app read reader ready real record redirect reduce ref reference refresh region
register registry relay release reload remote remove render repeat replace report request requests require reset resize resource
response rest result results resume retry return reverse right role root rotate round route router row ruby rule rules run
runner runtime rust safe sample save scale schedule scheduler schema scope score screen script scripts scroll search secret
secure security select self send sequence serialize server service services session set settings setup shape share shared sheet
shell show side signal simple single site size skip slice slide slot small smart snapshot socket some sort source space spawn
spec split sql stack stage standard star start starter state static stats status step stop storage store stream string strip
structure style styles sub subject submit success sum summary super support swap swift switch symbol sync syntax system tab table
tabs tag tags target task tasks team temp template term terminal test testing tests text then theme thread threads thumb ticket
time timeout timer title to toast today toggle token tokens tool toolbar tools tooltip top total touch trace track train transfer
transform transition translate transport trap tree trigger trim true try tuple type types typing ui unique unit units up update
upload upper url use user users util utilities utils uuid valid validate validation validator value values var variable vector
vendor verify version versions video view viewer vision visit void wait walk warning watch watcher wave web webapp websocket week
weight when where while widget width wild window windows with word work worker workflow workspace wrap wrapper write writer xml
yaml year yes zero zip zone
";
/// Modules of standard libraries and of runtimes: a dotted name that begins with one is not about a package.
const BUILTIN: &str = "
abc argparse array assert ast async asyncio atexit base64 buffer child_process cluster cmd code codecs collections concurrent
config configparser console constants context contextlib copy core crypto csv ctypes dataclasses date datetime decimal dgram dns
domain enum env errors event events fetch file fmt fs functools gc glob global hashlib heapq html http http2 https importlib
index inspect io ipaddress iter itertools java javax json key lib list locale log logging main map math module multiprocessing net
node number object obj operator option os package page path pathlib pickle platform pool pprint process promise props punycode
querystring queue random re readline repl req request res response result secrets select self server set shutil signal socket
sqlite3 ssl stack state statistics std store stream string string_decoder struct subprocess super sync sys system tempfile test
text this thread threading time timeit timers tls token traceback tty types typing unittest url urllib user util utils uuid v8 value
vec vm wasi weakref window worker_threads xml zip zlib
";
/// Short names that are no words.
const SHORT: [&str; 12] = [
    "vue", "zod", "ejs", "koa", "jwt", "gin", "chi", "dio", "nom", "axs", "bs4", "cv2",
];
/// The fewest letters of a name that is recognized as a word.
const MIN_CHARS: usize = 4;

/// Returns whether a name mentions a package only in the syntax of packages.
pub(super) fn is_common(name: &str) -> bool {
    let is_short = name.chars().count() < MIN_CHARS && !SHORT.contains(&name);
    let has_letter = name.chars().any(|c| c.is_ascii_alphabetic());
    is_short || !has_letter || COMMON.split_whitespace().any(|word| word == name)
}

/// Returns whether a name is that of a module that needs no package.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTIN.split_whitespace().any(|word| word == name)
}
