//! Lists of words: no names of packages, names that are ordinary words, and words before numbers that are no versions.

use std::{collections::HashSet, sync::LazyLock};

/// A list of words.
type Words = LazyLock<HashSet<&'static str>>;

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}

/// Words that are never names of packages in prose, though registries have packages of these names.
pub(super) static STOP_WORDS: Words = LazyLock::new(|| {
    words(
        "a about above action advisory affected after again all also an and another any api app application \
         are args array as at author auto available back bad base be because been before being below between \
         block body both box branch bug build but by bytes call can case change changes check class client \
         close cloud code column command comment commit common component config configuration const content \
         context copy core count create current custom cve data database date day days default delete demo \
         dependency details dev device different directory do document does done double down due during each \
         edge either element else empty enable end engine entry env error errors even event every example \
         exception extension failed false feature field file files filter first fix fixed flag float for \
         force form format found framework from full function general get given go good group had handle \
         handler has have header help here high host how however id if image impact import in include index \
         info input install int integer interface internal into is issue issues it item items its itself job \
         just key kind known label last later latest least level lib library like limit line link list load \
         local lock log long loop low machine main make manager many map master match max may memory message \
         method min minor mode model module more most much multiple must my name need network new next no \
         node none not note now null number object of off old on once one only open option options or order \
         os other out output over package page parameter parent parse part patch path per plugin point pool \
         port possible prefix previous print private problem process product production program project \
         property provide proxy public pull push put query queue range raw read release remote remove request \
         require required reset resource response result return root row rule run running runtime same sample \
         save script search section see select self send sequence series server service session set several \
         shell should show side simple since single site size small so some source space stable stack \
         standard start state status step steps still stop store string sub such support system table tag \
         target task temp template test tests text than that the their them then there these they this those \
         through time times to token tool tools top total true try two type types under unit until up update \
         upgrade upstream url us use used user users uses using util utils valid value var variable version \
         versions via view vulnerability vulnerable was way we web well were what when where which while who \
         will with within without work would write x xml y yes you your zero",
    )
});

/// Packages whose names are ordinary words, too: names in lower case count only directly beside a version.
pub(super) static WEAK_WORDS: Words = LazyLock::new(|| {
    words(
        "async attrs azure black bottle bytes cache chalk chi click colors cookie cookies cors debug devise \
         docs dragon echo either ember events express fabric faker fiber flow got gin glob graph grape hashes \
         helmet hex hydra image invoke iris joi json mail markdown meteor mime moment \
         mustache nest ora pack parcel passport pillow poetry pry puma qs quill rack rails rake rand \
         requests ray rich rocket salt sass send serve signal six sequel slug spec sprockets thin tower \
         twisted ua underscore validator warp web winston ws yarn bleach keystone nova glance horizon \
         swift plone zope mercurial trac roundup buildbot mako products waitress paste pyramid colander kinto \
         indico notebook radicale tuf rope rsa sentry",
    )
});

/// Words before numbers that look like versions.
pub(super) static NO_PACKAGES: Words = LazyLock::new(|| {
    words(
        "address bluetooth chapter cuda cvss figure firmware glibc http ip ipv4 ipv6 kernel layer level \
         listing milestone oauth openapi phase protocol revision rev rfc schema score section sprint spec sql \
         ssl stage subnet table tls unicode usb utf volume wifi theorem equation driver clang webgl opengl \
         vulkan directx chrome firefox safari edge localhost gpu cpu",
    )
});
