//! What clauses say of versions: removals, planned changes, recommendations, and the demands of messages.

use super::check;

#[test]
fn removed_features_and_ended_failures_are_distinguished() {
    let cases = [
        (
            "In Marshmallow 4.0 `Schema.context` no longer exists",
            "marshmallow >=4.0",
        ),
        (
            "In Marshmallow 4.0 `Schema.context` no longer exists, so imports will fail",
            "marshmallow >=4.0",
        ),
        (
            "Our security review is done; in Marshmallow 4.0 `Schema.context` no longer exists",
            "marshmallow >=4.0",
        ),
        (
            "In Celery 5.2 werden alte Optionen nicht mehr gelesen",
            "celery >=5.2",
        ),
        (
            "In Celery 7.0 the option will no longer exist",
            "celery <7.0",
        ),
        (
            "Voraussichtlich mit Celery 7.0 werden die Optionen nicht mehr gelesen",
            "celery <7.0",
        ),
        (
            "The crash no longer occurs with Gunicorn 21.2",
            "gunicorn <21.2",
        ),
        ("The vulnerability no longer exists in Celery 5.2", ""),
        (
            "The call fails because the option no longer exists in Celery 5.2",
            "celery >=5.2",
        ),
        (
            "`pkg_resources` will be removed in Celery 7.0",
            "celery <7.0",
        ),
        (
            "ImportError in our views || cause: There are async blocks only since Jinja2 2.9",
            "jinja2 <2.9",
        ),
        (
            "The plugin fails to load || cause: it supports ESLint only up to 8.57",
            "eslint >=8.58",
        ),
        (
            "Celery 5.1 ne connaît pas cette option (seulement à partir de Celery 5.2)",
            "celery <5.2",
        ),
        (
            "The call fails || cause: La opción solo existe desde Celery 5.2",
            "celery <5.2",
        ),
        (
            "The call fails || cause: The method exists only since Celery 5.2",
            "celery <5.2",
        ),
        (
            "The call fails || cause: The method only exists since Celery 5.2",
            "celery <5.2",
        ),
        (
            "cause: The method exists only since Celery 5.2",
            "celery <5.2",
        ),
        ("The leak exists since Celery 5.2", "celery >=5.2"),
        ("The call fails. The method exists since Celery 5.2", ""),
        (
            "Die Methode existiert seit Celery 5.2 nicht mehr",
            "celery >=5.2",
        ),
        (
            "cause: L'option n'existe qu'à partir de Celery 5.2",
            "celery <5.2",
        ),
        (
            "Erreur || cause: parce qu'à partir de Celery 5.2 l'option est ignorée",
            "celery >=5.2",
        ),
        (
            "The call fails || cause: Der Absturz tritt nur bis Celery 5.2 auf",
            "celery <5.3",
        ),
        (
            "The login worked until I upgraded Flask to 3.1",
            "flask >=3.1|<4",
        ),
        ("Check the routes before you migrate to Laravel 12", ""),
        ("This fixes Celery 5.3 support", "celery >=5.3|<5.4"),
        ("Celery 5.3 fixes the support of queues", "celery <5.3"),
        ("Celery 5.3 之前的版本没影响", "celery >=5.3"),
        (
            "title: fix: Jest 30 drops `genMockFromModule`",
            "jest >=30|<31",
        ),
    ];
    check(&cases, &());
}

#[test]
fn updates_steps_back_and_recommended_versions_bound_the_problem() {
    let cases = [
        (
            "Jest 27 leaks memory. I switched to 26 and it is gone.",
            "jest >=27|<28",
        ),
        ("把 Celery 升级到了 5.3 之后报错", "celery >=5.3|<6"),
        ("Downgraded Jest from 7 to 6", "jest >=7"),
        ("Not affected: Jest from 7 to 6", ""),
        ("The trick does not work with Jest from 7 to 6.", ""),
        (
            "It hangs || solution: Use Celery 5.3 or newer",
            "celery <5.3",
        ),
        (
            "title: Update Gradle to 8.5 || There is a regression in Gradle 8.4",
            "gradle >=8.4|<8.5",
        ),
    ];
    check(&cases, &());
}

#[test]
fn messages_demand_one_version_and_name_another() {
    let cases = [
        (
            "It needs Celery 5.3, otherwise the worker fails",
            "celery <5.3",
        ),
        ("Der Aufruf braucht Celery 5.3, sonst ist alles gut", ""),
        (
            "celery>=5.1 is required, but found celery==4.4.7",
            "celery 4.4.7",
        ),
        (
            "gunicorn 20.1.0 is incompatible with Python 3.12",
            "gunicorn 20.1.0; python >=3.12|<3.13",
        ),
    ];
    check(&cases, &());
}

#[test]
fn questions_and_titles_of_changes_name_no_fix() {
    let cases = [
        ("Should we upgrade to Celery 5.3?", ""),
        (
            "**fixed**: the worker fails in Celery 5.3",
            "celery >=5.3|<5.4",
        ),
    ];
    check(&cases, &());
}

#[test]
fn versions_are_read_despite_markup() {
    let cases = [
        (
            "Fails since Celery [v5.2](https://example.org/v5.2)",
            "celery >=5.2",
        ),
        ("[Django](4.2) fails", "django >=4.2|<4.3"),
        ("[Django](docs.html) 4.2 fails", "django >=4.2|<4.3"),
        ("**Gunicorn 21.2** hangs", "gunicorn >=21.2|<21.3"),
        ("**Fixed in Django 4.2.**", "django <4.2"),
        ("__It hangs in Django 4.2.__", "django >=4.2|<4.3"),
        ("It hangs in **Django 4.***", "django >=4|<5"),
        ("The menu of django4.2 is empty", "django >=4.2|<4.3"),
        ("The image uses jdk-11 and fails", "java >=11|<12"),
        ("It hangs in Vite 7's new resolver", "vite >=7|<8"),
        // Backticks inside a link open no block of code.
        (
            "[```](x/y) is old. It fails with Django >= 4.2",
            "django >=4.2",
        ),
    ];
    check(&cases, &());
}

#[test]
fn ambiguous_prepositions_are_resolved() {
    let cases = [
        ("Der Aufruf scheitert unter PHP 8.3", "php >=8.3|<8.4"),
        ("Der Aufruf scheitert mit Jest unter 28", "jest <28"),
    ];
    check(&cases, &());
}
