//! What people choose, one line a case: passwords, phrases, short tokens, user names, persons, and the
//! kinds of values that stay behind the same keys.

use super::{kept, removed};

/// Each line with the parts that have to go in `⟦…⟧`, and what takes their place.
fn goes(placeholder: &str, lines: &[&str]) {
    for line in lines {
        let text = line.replace(['⟦', '⟧'], "");
        let mut expected = String::new();
        for (number, part) in line.split(['⟦', '⟧']).enumerate() {
            expected.push_str(if number % 2 == 1 { placeholder } else { part });
        }
        removed(&text, &expected);
    }
}

#[test]
fn a_literal_behind_a_password_key_goes_however_wordlike_it_is() {
    goes(
        "YOUR_PASSWORD",
        &[
            "password = \"⟦Super¦Secret123!⟧\"",
            "password: ⟦My¦Password1⟧",
            "db.password=⟦hunter¦2secret⟧",
            "\"password\": \"⟦Test¦User99⟧\"",
            "password = \"⟦example¦Corp2023!⟧\"",
            "password = \"⟦changeme¦2024⟧\"",
            "const password = '⟦sword¦fish⟧';",
            "$config['db_password'] = '⟦sword¦fish⟧';",
            "define('DB_PASSWORD', '⟦sword¦fish⟧');",
            "dataSource.setPassword(\"⟦sword¦fish⟧\");",
            "password = os.getenv(\"DB_PASS\") or \"⟦sword¦fish9⟧\"",
            "[db]\npassword = ⟦sword¦fish⟧\nport = 5432",
            "db:\n  password: ⟦Tr0ub4¦dor&3⟧\n  port: 1",
            "env:\n  - name: DB_PASSWORD\n    value: \"⟦sword¦fish⟧\"",
            "[Service]\nEnvironment=APP_PASSWORD=⟦sword¦fish16⟧",
            "FROM alpine\nENV DB_PASS ⟦tulip¦2024x⟧",
            "<password>⟦sword¦fish⟧</password>",
            "<property name=\"password\" value=\"⟦sword¦fish⟧\"/>",
            "postgres://app:⟦My¦Password1⟧@db.example.com/x",
            "jdbc:mysql://localhost/x?user=app&password=⟦tul¦ip⟧",
            "Server=x;Database=y;User Id=sa;Password=⟦tul¦ip⟧;",
            "ALTER USER app WITH PASSWORD '⟦sword¦fish⟧';",
            "SET PASSWORD FOR 'app'@'localhost' = '⟦sword¦fish⟧';",
            "insert into users (login, password) values ('root', '⟦Tulip¦2024⟧');",
            "id,name,password\n7,app,⟦Tulip¦2024⟧\n",
            "auth: trying with password=⟦velvet¦06⟧\n",
            "| setting | value |\n|---|---|\n| password | ⟦thunder¦+sarang⟧ |",
            "password：\"⟦密碼¦hunter86⟧\"",
            "password：⟦密碼¦hunter86⟧",
            "password = ⟦größe¦1987!⟧\n",
        ],
    );
}

#[test]
fn phrases_go() {
    goes(
        "YOUR_PASSWORD",
        &[
            "\"password\": \"⟦correct horse battery¦ staple⟧\"",
            "db:\n  password: ⟦correct horse battery¦ staple⟧\n  port: 1",
            "passphrase = \"⟦frozen_bicycle_paints¦_penguin⟧\"",
            "Passphrase: ⟦the yellow violin¦ jumps twice⟧",
            "[vault]\npassword = ⟦Frozen Bicycle¦ Lantern 72⟧\ntimeout = 5",
            "gpg --batch --passphrase \"⟦der alte Hund¦ trinkt Tee⟧\" -d x",
            "mot de passe : \"⟦le chat¦ dort bien⟧\"",
            "phrase secrète : « ⟦silver lantern¦ elephant⟧ »",
            "password=\"⟦春眠不觉晓¦处处闻啼鸟⟧\"",
            "<passphrase>⟦seven owls¦ paint at 5⟧</passphrase>",
        ],
    );
}

#[test]
fn commands_give_their_passwords_away() {
    goes(
        "YOUR_PASSWORD",
        &[
            "tool --password ⟦sword¦fish⟧ --verbose",
            "tool --password=⟦sword¦fish⟧",
            "sshpass -p ⟦sword¦fish⟧ ssh x",
            "curl -u deploy:⟦Sun¦shine88⟧ https://example.com",
            "curl --user admin:⟦sword¦fish⟧ https://example.com",
            "mysql -u root -p⟦Sun¦shine88⟧ shop",
            "useradd -m -p ⟦Sun¦shine88⟧ app",
            "echo ⟦Sun¦shine88⟧ | sudo -S apt update",
            "echo \"⟦sword¦fish⟧\" | docker login -u root --password-stdin",
            "7z a -p⟦PEPPER582¦banana⟧ backup.7z docs",
            "zip -P ⟦sword¦fish⟧ a.zip b",
            "net use Z: \\\\localhost\\share ⟦hunter¦2admin⟧ /user:app",
            "htpasswd -nb app ⟦tul¦ip9⟧",
        ],
    );
}

#[test]
fn sentences_give_their_passwords_away() {
    goes(
        "YOUR_PASSWORD",
        &[
            "the root password is ⟦sword¦fish⟧.",
            "The admin password is \"⟦Sun¦shine88⟧\"",
            "log in with the password ⟦Dragon¦fly77⟧ first",
            "WiFi password: ⟦Dragon¦fly77⟧",
            "I set the password to ⟦Super¦Secret352!⟧ today",
            "- **Password:** ⟦Dragon¦fly77⟧",
            "密码：⟦小猫¦2024⟧",
            "数据库密码是 ⟦hunter¦4128⟧",
            "mot de passe : ⟦soleil¦2019⟧",
            "Das Passwort für die Datenbank lautet ⟦sakura¦lyubov⟧.",
            "La contraseña es ⟦girasol¦2021⟧",
            "A senha do banco de dados é ⟦girassol¦99⟧, não passe adiante",
            "Пароль: ⟦solnce¦2020⟧",
            "пароль администратора: ⟦solnce¦2020⟧",
            "パスワードは「⟦sakura¦2022⟧」です",
            "비밀번호는 ⟦gangnam¦77⟧ 입니다",
        ],
    );
}

#[test]
fn short_tokens_go() {
    goes(
        "YOUR_SECRET",
        &[
            "SECRET_KEY = \"⟦flask¦secret2023⟧\"",
            "client_secret = '⟦blue¦berry-42⟧'",
            "session_secret: \"⟦keyboard¦ cat⟧\"",
        ],
    );
    goes(
        "YOUR_TOKEN",
        &[
            "API_TOKEN=⟦abcd¦1234efgh⟧",
            "api_token = \"⟦marble¦copperkey⟧\"",
            "访问令牌：⟦purple¦monkeykey⟧",
            "curl -H 'X-Auth-Token: ⟦billing¦2024secret⟧' https://localhost",
        ],
    );
    goes(
        "YOUR_API_KEY",
        &["apiKey: \"⟦prod¦-key-001⟧\"", "our api key is ⟦nrbd¦5pwh⟧"],
    );
}

#[test]
fn user_names_go_and_system_accounts_stay() {
    goes(
        "USER",
        &[
            "username = \"⟦jsmith⟧\"",
            "DB_USER=⟦mlopez⟧",
            "login: ⟦k.tanaka⟧",
            "\"user\": \"⟦priya.nair⟧\"",
            "<username>⟦lucastanaka⟧</username>",
            "config.setUsername(\"⟦pavel_smith⟧\");",
            "用户名：⟦zhangsan⟧",
            "nom d'utilisateur : ⟦mdupont⟧",
            "Benutzername: ⟦mschulz⟧",
            "имя пользователя: ⟦ipetrov⟧",
            "사용자: ⟦hgkim⟧",
            "ユーザー名：⟦ktanaka⟧",
            "sudo -u ⟦mlopez⟧ ls",
            "chown ⟦mlopez⟧:staff /srv/x",
            "Logged in as ⟦mlopez⟧",
            "psql -U ⟦mlopez⟧ -h db shop",
            "CREATE ROLE \"⟦lucas24⟧\" LOGIN;",
            "id,username,active\n7,⟦zhangsan⟧,yes\n",
        ],
    );
    for text in [
        "username = \"postgres\"",
        "DB_USER=app_user",
        "login: admin",
        "user: testuser1",
        "sudo -u www-data ls",
        "chown root:root /srv/x",
        "user = request.user\nuser: User\nusername: str = \"\"",
        "pip install --user requests\nsystemctl --user start x",
        "\"login\": \"Login\"\n\"username\": \"Enter your username\"",
        "用户名：必填",
    ] {
        kept(text);
    }
}

#[test]
fn persons_go_and_organisations_stay() {
    goes(
        "YOUR_NAME",
        &[
            "author = \"⟦Jane Smith⟧\"",
            "Assignee: ⟦Priya Nair⟧",
            "\"reporter\": \"⟦Priya Nair⟧\"",
            "authors = [\"⟦Priya Nair⟧\", \"⟦Tom Baker⟧\"]",
            "Cc: ⟦Priya Nair⟧, ⟦Tom Baker⟧",
            "Ansprechpartner: ⟦Petrenko, Heiko⟧",
            "Reviewed-by: ⟦João da Conceição⟧",
            "作者：⟦李明⟧",
            "nom : ⟦Marta K. Okafor⟧",
            "Автор: ⟦Иван Петров⟧",
            "담당자: ⟦김민수⟧",
            "担当者：⟦田中健一⟧",
            "Kind regards,\n⟦Priya Nair⟧\n",
        ],
    );
    for text in [
        "author = \"The Rust Project Developers\"",
        "\"author\": \"Microsoft Corporation\"",
        "assignee: unassigned",
        "author: Author\nreporter: spec",
        "created by the team, assigned to the variable",
        "nom : voir la page",
        "姓名：必填",
    ] {
        kept(text);
    }
}

#[test]
fn kinds_of_values_that_are_no_secrets_stay() {
    for text in [
        // references
        "password: ${DB_PASSWORD}\npassword: \"{{ vault_password }}\"\npassword = $1",
        "password = process.env.DB_PASS;\ntoken = secrets.API_TOKEN",
        "password = getpass.getpass()\npassword = config.password\ntoken = tokens[i]",
        "login(username=username, password=password)\npassword = new_password",
        // types and schemas
        "password: string;\npassword: String,\npassword varchar(255) not null",
        "password: z.string().min(8)\n\"password\": {\"type\": \"string\"}",
        // placeholders
        "password: <your password>\nPASSWORD=YOUR_PASSWORD\npassword: ********\npassword: xxx",
        "token: secret1\nsecret: my-secret\napi_key = \"your-api-key\"\nAPI_KEY=changeme",
        "usql mysql://用户名:密码@主机/库\nusql mysql://사용자이름:비밀번호@예제.com/x",
        "https://utilisateur:motdepasse@hôte/\nmysql://usuario:contraseña@servidor/base",
        "rdesktop -u username -p password host\ncurl -u myuser:mypassword https://example.com",
        // labels, attributes, headings
        "<input type=\"password\" name=\"password\" placeholder=\"Enter your password\">",
        "\"password\": \"Mot de passe\"\n\"password\": \"Пароль\"\n\"password\": \"密码长度至少8位\"",
        "| Name | Token | Secret |\n|---|---|---|\n| a | b | c |",
        "password_hash = hash(password)\ntoken_count = 42\n\"token_type\": \"bearer\"",
        // sentences
        "The password is required, and the password is stored in the database.",
        "The password must contain at least 8 characters. The password is wrong.",
        "Le mot de passe est obligatoire. Das Passwort ist falsch. La contraseña es obligatoria.",
        "Пароль неверный. 密码错误。비밀번호는 8자 이상이어야 합니다. Passwort: erforderlich",
        "A password for something: tool --flag path/to/file",
        // switches
        "mkdir -p foo/bar\nssh -p 22 host\ndocker run -p 8080:80 nginx\nmysql -u root -p shop",
        "tool --password path/to/file\nuse --password to set it\nopenssl genrsa -no-pass\nx --no-password --quiet",
    ] {
        kept(text);
    }
}

#[test]
fn what_was_told_once_goes_where_it_is_repeated() {
    for (text, expected) in [
        (
            "User: passphrase = \"kestrel mig¦unda vopeto salamo\"\nUser: as I said, kestrel mig¦unda vopeto salamo it was",
            "User: passphrase = \"YOUR_PASSWORD\"\nUser: as I said, YOUR_PASSWORD it was",
        ),
        (
            "kafka brokers: zudipola-db-¦47:9092\nas I said, zudipola-db-¦47 it was",
            "kafka brokers: host.example.com:9092\nas I said, host.example.com it was",
        ),
        (
            "password=\u{1b}[31mVevunaLu¦1988!\u{1b}[0m\nas I said, VevunaLu¦1988! it was",
            "password=YOUR_PASSWORD\nas I said, YOUR_PASSWORD it was",
        ),
        (
            "see https://zudipola-labs¦.atlassian.net/browse/SHOP-12\nas I said, zudipola-labs¦ it was",
            "see https://host.example.com/browse/SHOP-12\nas I said, host.example.com it was",
        ),
    ] {
        removed(text, expected);
    }
}

#[test]
fn labels_and_values_behind_a_label_of_a_log_are_read() {
    for (text, expected) in [
        (
            "error: Nom d'utilisateur : bzudi¦pola",
            "error: Nom d'utilisateur : USER",
        ),
        (
            "error: Benutzername: bzudi¦pola",
            "error: Benutzername: USER",
        ),
        // A line break behind a backslash that became a space.
        (
            "error: export DB_PASSWORD=Secret¦Zudi\\ pola1987",
            "error: export DB_PASSWORD=YOUR_PASSWORD",
        ),
    ] {
        removed(text, expected);
    }
}

#[test]
fn codes_go_by_the_sentence_they_stand_in() {
    for (text, expected) in [
        (
            "the combination of the shed lock is 48¦19",
            "the combination of the shed lock is YOUR_CODE",
        ),
        (
            "Your code (valid for 10 minutes): 48¦1902",
            "Your code (valid for 10 minutes): YOUR_CODE",
        ),
        ("门口密码锁 ¦481902", "门口密码锁 YOUR_CODE"),
        (
            "punch in ¦4819 at the gate",
            "punch in YOUR_CODE at the gate",
        ),
    ] {
        removed(text, expected);
    }
    for text in [
        "exit code 4819",
        "the error code is 48190",
        "Enter 4096 as the size of the buffer.",
        "the code has 4819 lines",
        "PIN codes have 4 to 8 digits",
    ] {
        kept(text);
    }
}

#[test]
fn full_names_go_wherever_they_stand_and_places_stay() {
    for (text, expected) in [
        (
            "lunch with Annika Vo¦lterra on Friday",
            "lunch with YOUR_NAME on Friday",
        ),
        (
            "созвонились, Людмила¦ Орлова не против",
            "созвонились, YOUR_NAME не против",
        ),
    ] {
        removed(text, expected);
    }
    for text in [
        "Named after Barbara Liskov.",
        "the San Antonio River",
        "Marisol Foundation",
        "placeholder=\"Jean Dupont\"",
    ] {
        kept(text);
    }
}

#[test]
fn values_set_apart_from_their_keys_go() {
    for (text, expected) in [
        (
            "The new password:\n```\nhunter4¦86x\n```\n",
            "The new password:\n```\nYOUR_PASSWORD\n```\n",
        ),
        ("password: ||hunter4¦86x||", "password: ||YOUR_PASSWORD||"),
        ("PASSWORD=\"hunt\"\"er4¦86x\"", "PASSWORD=\"YOUR_PASSWORD\""),
        ("password: hunt<!-- -->er4¦86x", "password: YOUR_PASSWORD"),
    ] {
        removed(text, expected);
    }
}
