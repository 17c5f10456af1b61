//! French, German, Spanish, Portuguese and Russian phrases for what a version adds, removes or is recommended for.

use super::{
    Cue::{
        Added, Broken, Deprecated, Downgrade, Fails, Fixed, Future, Gone, Install, Otherwise,
        Prefix, Requires, Suffix, Unfit, Update, Works,
    },
    Limit::{After, Before, Since, UpTo},
    Phrases,
};

pub(super) const PHRASES: &[Phrases] = &[
    // French
    (
        Gone,
        "n'existe plus; n'existent plus; n'est plus; ne sont plus; n'a plus; n'ont plus; \
         ne fonctionne plus; a disparu; ont disparu; a été supprimé; a été supprimée; ont été supprimés; \
         ont été supprimées; a été retiré; a été retirée; a été renommé; a été renommée; ne marche plus; \
         n'accepte plus",
    ),
    (
        Added,
        "a été ajouté; a été ajoutée; a été introduit; a été introduite; ajouté dans; ajoutée dans; \
         ajouté en; ajoutée en; ajouté par; apparu dans; apparue dans; apparu avec; disponible depuis; \
         disponible dans; introduite par",
    ),
    (
        Fixed,
        "sera supprimé dans; sera supprimée dans; seront supprimés dans; seront supprimées dans; \
         sera retiré dans; sera retirée dans; ne se produit plus; ne plante plus; a disparu avec",
    ),
    (
        Broken,
        "cesse de fonctionner avec; cessé de fonctionner avec; depuis le passage à; régression dans; \
         régression de",
    ),
    (
        Deprecated,
        "déprécié depuis; dépréciée depuis; déprécié en; dépréciée en; déprécié dans; dépréciée dans; \
         deprecie en; obsolète dans; est déprécié; est dépréciée; déprécié; dépréciée",
    ),
    (
        Install,
        "utilisez; utiliser; installez; installer; prenez; prendre",
    ),
    (Requires, "compatible avec; compatibles avec"),
    (
        Downgrade,
        "figer; limiter; fixer; revenir en; revenez en; retour à; redescendre en; rétrogradation vers; \
         dernière version qui fonctionne",
    ),
    (
        Fails,
        "ne fonctionne pas; ne marche pas; ne compile pas; ne démarre pas; ne démarre plus; plantage; \
         plantait; indisponible; échouent; plantent",
    ),
    (
        Prefix(Before),
        "en dessous de; au-dessous de; antérieur; moins de",
    ),
    (Suffix(Since), "et suivants; ou suivante; ou suivantes"),
    (
        Unfit,
        "incompatible avec; incompatibles avec; pas compatible avec; pas compatibles avec",
    ),
    (Otherwise, "sinon"),
    // German
    (
        Gone,
        "nicht mehr; keine mehr; entfallen; weggefallen; wurde entfernt; wurden entfernt; wurde umbenannt; \
         wurden umbenannt; ist weg; entfernt",
    ),
    (
        Added,
        "hinzugefügt in; hinzugefügt; eingeführt; eingebaut; neu in; verfügbar ab; verfügbar seit; \
         gibt es ab; gibt es seit",
    ),
    (
        Fixed,
        "behoben; gefixt; gelöst; korrigiert; repariert; tritt nicht mehr auf; stürzt nicht mehr ab; \
         wird entfernt in; wird entfernt mit; entfällt mit; entfällt in",
    ),
    (
        Broken,
        "bricht mit; bricht ab; bricht seit; regression seit",
    ),
    (
        Deprecated,
        "veraltet ab; veraltet in; als veraltet markiert in; als veraltet markiert seit; abgekündigt in; \
         abgekündigt seit",
    ),
    (
        Install,
        "verwenden; verwende; nutze; nutzen; installieren; installiere; nehmen; benutze; benutzen",
    ),
    (Requires, "kompatibel mit; kompatibel zu; unterstützt"),
    (
        Downgrade,
        "pinnen; gepinnt; fixieren; begrenzen; zurück zu; downgrade auf; herunterstufen auf; \
         letzte funktionierende version; zuletzt funktionierende version",
    ),
    (
        Fails,
        "funktioniert nicht; geht nicht; ausnahme; ausnahmen; abstürze; scheitern; schlagen; \
         nicht installierbar; nicht verfügbar; startet nicht; lässt sich nicht",
    ),
    (Future, "voraussichtlich; künftig; in zukunft"),
    (Prefix(After), "über; jünger als"),
    (Prefix(UpTo), "bis einschl; bis maximal; nicht neuer als"),
    (Suffix(Since), "und darüber; oder darüber; und folgend"),
    (Suffix(UpTo), "und davor; oder davor"),
    (
        Unfit,
        "inkompatibel mit; nicht kompatibel mit; nicht kompatibel zu; nicht für; läuft nicht mit; \
         läuft nicht unter",
    ),
    (Otherwise, "sonst; ansonsten; andernfalls"),
    // Spanish
    (
        Gone,
        "ya no; dejó de; dejaron de; ha sido eliminado; ha sido eliminada; fue eliminado; fue eliminada; \
         fue renombrado; fue renombrada; desapareció; se eliminó; se ha eliminado; han eliminado",
    ),
    (
        Added,
        "se añadió; se agregó; fue añadido; fue añadida; se introdujo; añadido en; añadida en; agregado en; \
         agregada en; disponible desde; disponible en; apareció en; introducida en; se introdujo en",
    ),
    (
        Fixed,
        "será eliminado en; será eliminada en; se eliminará en; serán eliminados en; serán eliminadas en; \
         ya no ocurre; ya no falla; ya no sucede",
    ),
    (
        Broken,
        "regresión en; regresión desde; se rompe con; se rompió en; se rompió con",
    ),
    (
        Deprecated,
        "obsoleto en; obsoleta en; obsoleta desde; deprecado en; deprecada en; deprecado desde; \
         deprecada desde; en desuso desde",
    ),
    (
        Install,
        "usar; usa; usá; usad; instalar; instala; instale; utilizar; utiliza; utilice; pon; poner",
    ),
    (Requires, "compatible con; compatibles con; soporta"),
    (
        Downgrade,
        "pinear; anclar; fijando; limitar; volver a la; vuelve a; regresar a la; bajar a la; \
         hacer downgrade a; última versión que funciona",
    ),
    (
        Fails,
        "no funciona; no arranca; no inicia; fallaba; fallaron; no se puede",
    ),
    (Suffix(Since), "o más; y más; hacia arriba"),
    (Suffix(UpTo), "o menos; hacia abajo"),
    (
        Unfit,
        "incompatible con; incompatibles con; no compatible con; no es compatible con; \
         no son compatibles con",
    ),
    (Otherwise, "de lo contrario; si no"),
    // Portuguese
    (
        Gone,
        "não existe mais; não existem mais; não está mais; não funciona mais; não é mais; não são mais; \
         deixou de; deixaram de; foi removido; foi removida; foram removidos; foram removidas; \
         foi renomeado; foi renomeada; sumiu; desapareceu; não há mais",
    ),
    (
        Added,
        "foi adicionado; foi adicionada; foi introduzido; foi introduzida; adicionado no; adicionado na; \
         adicionada no; adicionada na; adicionado em; disponível no; disponível na; disponível desde; \
         disponível em; introduzida no; introduzida na",
    ),
    (
        Fixed,
        "será removido no; será removido na; será removido em; será removida no; será removida na; \
         será removida em; não ocorre mais; não acontece mais; não falha mais",
    ),
    (
        Broken,
        "regressão no; regressão na; regressão em; quebrou com; quebrou no; quebrou na; quebra com; \
         removida no",
    ),
    (
        Deprecated,
        "obsoleto no; obsoleto na; obsoleta no; obsoleta na; descontinuado no; descontinuado na; \
         descontinuado; descontinuada; depreciado no; depreciado na; depreciado em",
    ),
    (Install, "usar; usem; instale; instalar; utilize; utilizar"),
    (Requires, "compatível com; compatíveis com; suporta"),
    (
        Downgrade,
        "fixar; travar; limitar; volte à; voltar pro; voltar ao; fazer downgrade para; \
         última versão que funciona",
    ),
    (
        Fails,
        "não funciona; não inicia; não roda; quebrou; falhou; falhava; não consegue",
    ),
    (Suffix(Since), "ou mais; para cima; ou acima; e acima"),
    (Suffix(UpTo), "ou menos; para baixo; ou abaixo; e abaixo"),
    (
        Unfit,
        "incompatível com; incompatíveis com; não é compatível com; não são compatíveis com; \
         não compatível com",
    ),
    (Otherwise, "caso contrário; senão"),
    // Russian
    (
        Gone,
        "больше не; больше нет; исчез; исчезла; исчезло; исчезли; был удалён; был удален; была удалена; \
         было удалено; были удалены; удалён; удалена; удалено; удалены; переименован; переименована; \
         переименовано; убрали; пропал; пропала; пропало",
    ),
    (
        Added,
        "появился; появилась; появилось; появились; добавили; введён; введена; появился в; появилась в; \
         появились в; добавлены в; добавленный в; добавленная в; доступен с; доступны с; \
         доступен начиная с; введён в; введена в; впервые в",
    ),
    (
        Fixed,
        "будет удалён в; будет удален в; будет удалена в; будет удалено в; будут удалены в; \
         больше не падает; больше не возникает; больше не воспроизводится; не воспроизводится",
    ),
    (
        Broken,
        "регрессия в; сломали в; ломается на; ломается с; перестал работать с; перестала работать с; \
         перестало работать с",
    ),
    (
        Deprecated,
        "устарел; устарела; устарело; устарели; устаревшим; устаревшей; объявлен устаревшим; \
         объявлена устаревшей; помечен устаревшим",
    ),
    (
        Install,
        "используйте; использовать; используй; установите; установить; ставьте; поставить; возьмите",
    ),
    (
        Requires,
        "совместим с; совместима с; совместимо с; совместимы с; поддерживает; поддерживаются; поддержка",
    ),
    (
        Downgrade,
        "зафиксировать; ограничить; откат на; откат до; откатился на; откатились на; вернулся на; \
         вернулись на; последняя рабочая версия; последняя работающая версия",
    ),
    (
        Works,
        "работал с; работала с; работала в; работали с; работал в; нормально работает на",
    ),
    (
        Fails,
        "не запускается; не работают; не компилируется; падала; упал; упала; сломался; сломалась; ломаются; \
         не устанавливается; не удаётся; не удается",
    ),
    (Update, "обновился до; после обновления"),
    (Suffix(Since), "и далее; и новые; и более поздних"),
    (
        Unfit,
        "несовместим с; несовместима с; несовместимо с; несовместимы с; не совместим с; не совместима с; \
         не совместимо с; не совместимы с",
    ),
    (Otherwise, "иначе; в противном случае"),
];
