//! Bounds of versions in nine languages. Of each language, the sentences of the second half were written before the
//! lexicon was tried on them.

use super::check;

#[test]
fn bounds_are_read_in_nine_languages() {
    let cases = [
        // English
        (
            "Vite 4.x up to and including 4.5.1 leaks files",
            "vite >=4|<=4.5.1",
        ),
        // Chinese
        ("NumPy 1.24 及以上版本中 np.float 报错", "numpy >=1.24"),
        ("低于 4.17.21 的 lodash 版本存在漏洞", "lodash <4.17.21"),
        (
            "把 React 从 17.0.2 升级到 18.2.0 后报错",
            "react >17.0.2|<19",
        ),
        ("Django 3.2 之前的版本无法使用该参数", "django <3.2"),
        ("TypeScript 5.0 以后的版本编译失败", "typescript >=5.0"),
        ("该漏洞影响 Pillow 8.1.1 及以下版本", "pillow <=8.1.1"),
        (
            "报错 || solution: 升级到 Django 4.2.1 即可解决",
            "django <4.2.1",
        ),
        ("自 pandas 2.0 起 append 已移除", "pandas >=2.0"),
        (
            "webpack 从 4.46.0 更新到 5.0.0 后构建失败",
            "webpack >4.46.0|<6",
        ),
        // French
        ("Erreur avec Django avant la version 3.2", "django <3.2"),
        (
            "À partir de Spring Boot 3.0, javax n'existe plus",
            "org.springframework.boot/spring-boot >=3.0",
        ),
        ("Plantage de pandas 2.0 et ultérieures", "pandas >=2.0"),
        (
            "Les versions de lodash antérieures à 4.17.21 sont vulnérables",
            "lodash <4.17.21",
        ),
        (
            "Depuis TypeScript 5.0 la compilation échoue",
            "typescript >=5.0",
        ),
        (
            "Erreur || solution: Corrigé dans Django 4.2.1",
            "django <4.2.1",
        ),
        ("Pillow jusqu'à la version 8.1.1 plante", "pillow <=8.1.1"),
        // German
        ("Fehler in Angular ab Version 15", "@angular/core >=15"),
        ("Pillow vor 8.1.1 stürzt ab", "pillow <8.1.1"),
        (
            "Fehler || solution: Behoben in Pillow 9.0.1",
            "pillow <9.0.1",
        ),
        (
            "Seit TypeScript 5.0 schlägt der Build fehl",
            "typescript >=5.0",
        ),
        (
            "lodash bis einschließlich 4.17.20 ist verwundbar",
            "lodash <=4.17.20",
        ),
        (
            "Fehler nach Aktualisierung von webpack von 4.46.0 auf 5.0.0",
            "webpack >4.46.0|<6",
        ),
        ("Tritt in Django-Versionen älter als 3.2 auf", "django <3.2"),
        // Spanish
        ("Falla en numpy anterior a 1.20", "numpy <1.20"),
        (
            "A partir de la versión 2.0 de pandas falla append",
            "pandas >=2.0",
        ),
        (
            "Error tras actualizar React de 17.0.2 a 18.0.0",
            "react >17.0.2|<19",
        ),
        (
            "Las versiones de Pillow hasta la 8.1.1 fallan",
            "pillow <=8.1.1",
        ),
        ("Desde TypeScript 5.0 no compila", "typescript >=5.0"),
        (
            "Error || solution: Solucionado en la versión 4.2.1 de Django",
            "django <4.2.1",
        ),
        ("pandas 2.0 o superior lanza un error", "pandas >=2.0"),
        // Portuguese
        ("Erro no Django até a versão 2.2.3", "django <=2.2.3"),
        ("O método foi removido no pandas 2.0", "pandas >=2.0"),
        (
            "Versões do lodash anteriores à 4.17.21 são vulneráveis",
            "lodash <4.17.21",
        ),
        (
            "A partir do TypeScript 5.0 a compilação falha",
            "typescript >=5.0",
        ),
        (
            "Erro || solution: Corrigido no Django 4.2.1",
            "django <4.2.1",
        ),
        ("Falha com webpack 5 ou superior", "webpack >=5"),
        // Russian
        ("Ошибка в Django до версии 3.2", "django <3.2"),
        ("Начиная с NumPy 1.24 нет np.float", "numpy >=1.24"),
        (
            "Ошибка || solution: Исправлено в Pillow 9.0.1",
            "pillow <9.0.1",
        ),
        ("Версии lodash ниже 4.17.21 уязвимы", "lodash <4.17.21"),
        ("pandas 2.0 и выше выдаёт ошибку", "pandas >=2.0"),
        (
            "Сборка падает после обновления webpack с 4.46.0 до 5.0.0",
            "webpack >4.46.0|<6",
        ),
        (
            "Уязвимость есть в Pillow по версию 8.1.1 включительно",
            "pillow <=8.1.1",
        ),
        // Japanese
        ("React 18 以降でエラーが出る", "react >=18"),
        ("Django 3.2 より前のバージョンで失敗する", "django <3.2"),
        (
            "エラー || solution: Pillow 9.0.1 で修正されました",
            "pillow <9.0.1",
        ),
        ("lodash 4.17.21 未満に脆弱性があります", "lodash <4.17.21"),
        (
            "pandas 2.0 で append が削除されたためエラー",
            "pandas >=2.0",
        ),
        (
            "webpack を 4.46.0 から 5.0.0 に更新するとビルドが失敗する",
            "webpack >4.46.0|<6",
        ),
        ("Pillow 8.1.1 以下で落ちる", "pillow <=8.1.1"),
        // Korean
        ("React 18 이상에서 오류가 발생합니다", "react >=18"),
        ("Django 3.2 이전 버전에서 실패", "django <3.2"),
        ("numpy 1.24부터 np.float 오류", "numpy >=1.24"),
        ("lodash 4.17.21 미만 버전은 취약합니다", "lodash <4.17.21"),
        (
            "webpack을 4.46.0에서 5.0.0으로 업그레이드한 후 빌드 실패",
            "webpack >4.46.0|<6",
        ),
        ("Pillow 8.1.1 이하에서 충돌", "pillow <=8.1.1"),
        (
            "오류 || solution: Django 4.2.1에서 수정되었습니다",
            "django <4.2.1",
        ),
    ];
    check(&cases, &());
}
