//! English phrases.

use super::{
    Cue::{
        Added, And, Beside, Between, Broken, Deprecated, Downgrade, Fails, Filler, Fixed,
        Forbidden, From, Gone, Install, Needed, Noun, Otherwise, Place, Prefix, Requires, Suffix,
        Through, To, Unaffected, Unfit, Update, Updated, Updating, Works,
    },
    Limit::{After, Before, Since, UpTo},
    Phrases,
};

pub(super) const PHRASES: &[Phrases] = &[
    (
        Prefix(Before),
        "before; prior to; older than; earlier than; lower than; less than; below; until; preceding; \
         up to but not including; up to but excluding; smaller than; pre; previous to; prior; excluding",
    ),
    (
        Prefix(UpTo),
        "up to; up to and including; up to including; through to; as late as; no later than; \
         not newer than; at most; up through; less than or equal to; lower than or equal to; maximum",
    ),
    (
        Prefix(Since),
        "since; as of; starting with; starting from; starting in; starting at; beginning with; \
         beginning in; beginning from; at least; greater than or equal to; not older than; no earlier than; \
         as from; minimum; minimal; minimum required; lowest; oldest supported; effective from; \
         effective in",
    ),
    (
        Prefix(After),
        "after; newer than; later than; greater than; higher than; above; more recent than; beyond; past",
    ),
    (
        Suffix(Since),
        "or later; or newer; or higher; or above; or greater; or up; or more recent; and later; and newer; \
         and higher; and above; and greater; and up; and more recent; onwards; onward; upwards; \
         and onwards; and onward; and beyond; or later versions; and later versions; and newer versions; \
         and later releases; and subsequent; and following; or better; and upwards; and forward; forward",
    ),
    (
        Suffix(UpTo),
        "and earlier; or earlier; and below; or below; and older; or older; and lower; or lower; and prior; \
         or prior; or less; and previous; and earlier versions; and older versions; and prior versions; \
         and previous versions; and all earlier; and all prior; and all previous; and all lower; or under; \
         and under; inclusive; downwards; and down",
    ),
    (From, "from"),
    (To, "to; into"),
    (
        Through,
        "through; thru; til; till; up until; up to and inclusive of; inclusive to",
    ),
    (Between, "between"),
    (
        And,
        "and; or; as well as; and also; plus; &; and in; or in; and from",
    ),
    (
        Filler,
        "series; branch; branches; line; lines; in; of; the; a; an; is; are; was; all; any; package; \
         packages; library; libraries; module; modules; gem; gems; crate; crates; plugin; framework; \
         python package; npm package; tag; build; python library; node module; for; distribution; both; \
         either; its; this; our; released; i.e; e.g; namely; using; via; running; latest; current; stable; \
         installed; dependency; component; language; runtime; server; extension; toolkit; software; sdk; \
         being; at; product; products",
    ),
    (
        Noun,
        "version; versions; version number; v; ver; release; releases; affected version; affected versions; \
         vulnerable versions; vulnerable version; with version; at version; version of; versions of; \
         releases of; all versions; package version; package versions; following versions; \
         the following versions; following version",
    ),
    (
        Fixed,
        "fixed; fixed in; fixed by; fixed with; patched; patched in; patched by; patched versions; \
         patched version; resolved; resolved in; resolved by; resolved with; solved in; solved by; \
         addressed in; addressed by; corrected in; remedied in; fix in; fixes in; fix is in; \
         fix was released in; fix released in; fix included in; fix is included in; \
         fix will be included in; fix available in; fixes available in; fixes available; available fix in; \
         patched with fixes available in; fix is available in; a fix is available in; fixed since; \
         fixed as of; fixed from; fixed versions; fixed version; first fixed; fixes; fix; fixing; \
         includes a fix; includes fixes; include a fix; contains a fix; contains fixes; contains a patch; \
         includes a patch; includes the fix; patches; resolves; addresses; corrects; mitigated in; \
         mitigates; mitigating; prevents; to address; to fix; addressing; no longer happens; \
         no longer occurs; no longer reproduces; no longer reproducible; no longer crashes; \
         no longer fails; no longer appears; cannot reproduce; can't reproduce; not reproducible; \
         went away; goes away; go away; gone away; will be removed in; to be removed in; \
         going to be removed in; scheduled for removal in; will be dropped in; will be gone in; \
         will go away in; cherrypick this commit on; cherry-pick this commit on; cherrypicked; \
         backported to; reverted in; was reverted in; been reverted in; undone in; backed out in; \
         rolled back in; restored in; was restored in; restored to; added back in; back again in; \
         will be fixed in; has been fixed in; have been fixed in; has been patched in; is fixed in; \
         was fixed in; are fixed in; were fixed in; includes security fixes; includes a security fix; \
         includes various security fixes; remediated in; is a security release; is a security fix release; \
         is a security update; repaired in; closed in; rectified in; not present in; solution; remediation; \
         includes unspecified security fixes; vulnerability is fixed in; ships a fix; ships the fix",
    ),
    (
        Broken,
        "removed; removed in; removed from; was removed in; were removed in; dropped in; removes; \
         removed since; drops; dropped; broken in; broken since; broken by; breaks in; breaks with; \
         broke in; broke with; breaks since; no longer works in; no longer works with; no longer work in; \
         no longer work with; no longer works since; no longer works on; no longer works from; breaks on; \
         appeared in; appeared with; appears since; no longer supported in; no longer available in; \
         stopped working in; stopped working with; stopped working after; \
         stopped working since; regression in; regressed in; regression since; introduced in; \
         introduced by; introduced with; introduced since; fails since; failing since; failed since; \
         renamed in; renames; moved in; changed in; changes in; changed since; changed with; \
         was changed in; replaced in; breaking change in; breaking changes in; breaking change of; gone in; \
         gone since; disappeared in; does not exist in; doesn't exist in; is missing in; new behaviour in; \
         new behavior in; starting to fail in; unsupported in; unsupported since; discontinued in; \
         removal of; removal in; removal from; renaming of; renaming in; moved to; deleted in; \
         eliminated in",
    ),
    (
        Gone,
        "no longer; anymore; any more; not any longer; ceased; is gone; are gone; has been removed; \
         have been removed; was removed; were removed; been renamed; was renamed; were renamed; \
         been dropped; was dropped; has changed; have changed; been replaced; was replaced; been deleted; \
         disappears; vanished",
    ),
    (
        Deprecated,
        "deprecated; deprecated in; deprecated since; deprecates; was deprecated in; were deprecated in; \
         deprecated as of; is deprecated since; obsolete since; deprecation in",
    ),
    (
        Added,
        "added in; new in; available in; available since; available from; supported in; supported since; \
         supported from; introduced support in; was added in; were added in; only available in; landed in; \
         shipped in; adds; added; introduces; introduced; released in; was released in; arrived in; \
         came in; came with; works since; possible since; available as of; available starting with; \
         introduced support for",
    ),
    (
        Update,
        "upgrade; upgrades; update; updates; bump; migrate; migration; move; switch; go to; go up to; \
         go from; dependency update; jump; be upgraded; be updated; changed version",
    ),
    (
        Updating,
        "upgraded; upgrading; updated; updating; bumps; bumped; bumping; migrated; migrating; moving; \
         switching; switched; going to; going from; went to; went from; jumping",
    ),
    (
        Updated,
        "been updated; been upgraded; been bumped; was updated; was upgraded; was bumped; were updated; \
         were upgraded; is updated; is upgraded; are updated; is bumped; got updated; got upgraded; \
         got bumped; get updated; get upgraded",
    ),
    (
        Downgrade,
        "downgrade; downgraded; downgrading; downgrade to; pin; pins; pinning; pinned; pin to; limit; \
         limits; limiting; restrict; restricts; restricting; cap; capping; constrain; constraining; \
         lock down to; roll back; rolled back; rolling back; back to; revert; reverted; reverting; stay on; \
         stick with; hold back at; stuck on; last working version; last good version; last known good; \
         last version that works; last working; held at; staying on; fall back to",
    ),
    (
        Works,
        "works; work; worked; working; works in; works with; works on; works under; worked in; worked with; \
         worked on; worked under; works fine in; works fine with; works fine on; worked fine in; \
         worked fine with; fine in; fine with; ok in; ok with; ok on; passes on; passes with; passes under; \
         succeeds on; succeeds with; runs fine on; runs fine with; unlike; not in; not with; not on; \
         unlike in; did not happen in; does not happen in; doesn't happen in; same code on; compared to; \
         compared with; no trouble with; no trouble on; no trouble in; no problem with; no problems with; \
         no problem on; no problems on; no issue with; no issues with; no issues on; okay on; okay with; \
         fine on; fine under",
    ),
    (
        Requires,
        "requires; require; requiring; required; requirement; requirements; wanted; expected; needs; need; \
         depends on; demands; expects; peer; peer dependency; compatible on; peerdependency; \
         compatible with; built for; built against; supports; support for; supported versions",
    ),
    (
        Needed,
        "is required; are required; was required; is needed; are needed; is necessary",
    ),
    (
        Unaffected,
        "not affected; unaffected; not vulnerable; not impacted; does not affect; do not affect; \
         doesn't affect; is not affected by; safe versions; unaffected versions",
    ),
    (
        Fails,
        "fail; fails; failed; failing; failure; failures; error; errors; break; breaks; broke; broken; \
         breaking; crash; crashes; crashed; crashing; cannot; can't; exception; exceptions; undefined; \
         missing; incompatible; incompatibility; wrong; panic; panics; hangs; segfault; regression; raises; \
         throws; thrown; not found; unresolved; traceback; compile error; compilation error; \
         compilation failure; does not compile; doesn't compile; doesn't work; does not work; stopped; \
         not compiling; not working; not building; not running; not starting; not loading",
    ),
    (
        Unfit,
        "does not work with; does not work on; does not work in; does not work under; does not work for; \
         doesn't work with; doesn't work on; doesn't work in; doesn't work under; do not work with; \
         do not work on; do not work in; don't work with; will not work with; will not work on; \
         won't work with; won't work on; does not support; doesn't support; do not support; don't support; \
         no support for; lacks support for; does not apply to; doesn't apply to; not applicable to; \
         not suitable for; incompatible with; not compatible with; incompatible on; not yet compatible with",
    ),
    (
        Forbidden,
        "do not use with; do not use on; do not use in; do not use it with; do not use it on; \
         do not use it in; do not use this with; do not use this on; do not use this in; \
         do not use this recipe with; do not use this recipe on; do not use this recipe in; \
         do not use this fix with; do not use this fix on; do not apply this to; do not apply this on; \
         do not apply it to; don't use with; don't use on; don't use it with; don't use it on; \
         don't use this with; don't use this on; don't use this in; must not be used with; \
         must not be used on; should not be used with; should not be used on",
    ),
    (
        Beside,
        "changes since; changed since version; improvements since; changes made since; commits since; \
         released since; fixes since; fixes up to; security fixes up to; security fixes since; \
         since the release of; based on; built on; ships with; shipped with; bundled with; bundles; \
         vendored",
    ),
    (
        Install,
        "install; installing; use; add; adding; set; require the; installed with; switch on; choose; pick; \
         try",
    ),
    (
        Place,
        "on; under; on a; on an; only on; when on; inside; running on; runs on; under a",
    ),
    (Otherwise, "otherwise; or else"),
];
