//! Phrases of French, German, Spanish, Portuguese and Russian.

use super::{
    Cue::{
        Added, And, Between, Broken, Downgrade, Fails, Filler, Fixed, Forbidden, From, Noun, Place,
        Prefix, Requires, Suffix, Through, To, Unaffected, Under, Unfit, Update, Works,
    },
    Limit::{After, Before, Since, UpTo},
    Phrases,
};

pub(super) const PHRASES: &[Phrases] = &[
    // French
    (
        Prefix(Before),
        "avant; avant la; antérieure à; antérieures à; antérieur à; antérieurs à; inférieure à; \
         inférieures à; inférieur à; inférieurs à; plus ancienne que; plus anciennes que; plus ancien que; \
         plus vieux que",
    ),
    (
        Prefix(UpTo),
        "jusqu'à; jusqu'à la; jusqu'en; inférieure ou égale à; inférieures ou égales à; au plus",
    ),
    (
        Prefix(Since),
        "à partir de; à partir de la; à partir du; depuis; depuis la; dès; dès la; à compter de; \
         à compter de la; supérieure ou égale à; supérieures ou égales à; au moins",
    ),
    (
        Prefix(After),
        "après; après la; supérieure à; supérieures à; supérieur à; plus récente que; plus récentes que; \
         postérieure à; postérieures à",
    ),
    (
        Suffix(Since),
        "et ultérieures; ou ultérieure; et ultérieure; ou supérieure; ou supérieures; et supérieures; \
         et plus; ou plus; ou plus récent; ou plus récente; et plus récent; et plus récentes; et suivantes; \
         ou ultérieures; et au-delà; ou supérieur",
    ),
    (
        Suffix(UpTo),
        "et antérieures; ou antérieure; et antérieure; ou inférieure; et inférieures; ou antérieures; \
         incluse; inclus; et précédentes; ou plus ancien; ou plus ancienne",
    ),
    (Between, "entre"),
    (And, "et; ou"),
    (
        Filler,
        "la; le; les; du; de; des; dans; dans la; en; paquet; bibliothèque; branche; série; est; sont; une; \
         un; avec; de la; sur",
    ),
    (To, "à; à la; vers; vers la"),
    (
        Fixed,
        "corrigé dans; corrigée dans; corrigé en; corrigé dans la; corrigée dans la; corrigé par; \
         corrigé par la; résolu dans; résolu par; résolu dans la; corrige; corrigent; corrigés dans la; \
         corrigée par la; corrigé depuis; réparé dans",
    ),
    (
        Broken,
        "supprimé dans; supprimée dans; supprimé dans la; supprimée dans la; supprimé en; \
         ne fonctionne plus avec; ne fonctionne plus dans; ne fonctionne plus en; \
         ne fonctionne plus avec la; ne marche plus avec; introduit dans la; introduit dans; \
         introduite dans la; retiré dans; retiré dans la; cassé depuis; obsolète depuis",
    ),
    (
        Update,
        "mise à jour; mettre à jour; mettez à jour; mettez à jour vers; passage; passer; passez; migration; \
         migrer; mis à jour",
    ),
    (
        Downgrade,
        "revenir à; rétrograder; rétrograder vers; rétrogradez; revenez à; rester sur; épingler",
    ),
    (
        Works,
        "fonctionne avec; fonctionne en; fonctionnait avec; fonctionnait en; marche avec; fonctionne sous",
    ),
    (
        Unaffected,
        "non affectées; non affectée; ne sont pas affectées; n'est pas affectée; pas concernées",
    ),
    (
        Fails,
        "échoue; échec; erreur; erreurs; plante; casse; impossible; ne compile plus; exception",
    ),
    (Place, "sous"),
    // The word for "version" in each of them.
    (
        Noun,
        "versions de; versionen; versión; versiones; las versiones; la versión; versão; versões; \
         nas versões; na versão; das versões; версия; версии; версию; версий; версиях; версией; версиями; \
         версиям; релиз; релиза; релизе",
    ),
    // German
    (
        Prefix(Before),
        "vor; vor der; älter als; kleiner als; niedriger als; unterhalb; unterhalb von; früher als; \
         ältere als",
    ),
    (
        Prefix(UpTo),
        "bis; bis zu; bis zur; bis einschließlich; bis inklusive; bis und mit; höchstens; maximal; \
         kleiner oder gleich",
    ),
    (
        Prefix(Since),
        "ab; ab der; seit; seit der; beginnend mit; mindestens; größer oder gleich; angefangen mit",
    ),
    (
        Prefix(After),
        "nach; neuer als; größer als; höher als; oberhalb; oberhalb von; später als",
    ),
    (
        Suffix(Since),
        "und neuer; oder neuer; oder höher; und höher; und später; oder später; und aufwärts; aufwärts; \
         und neuere; oder neuere; und spätere; und folgende",
    ),
    (
        Suffix(UpTo),
        "und älter; oder älter; oder niedriger; und niedriger; und früher; oder früher; und ältere; \
         und frühere; einschließlich; oder kleiner; und darunter",
    ),
    (Between, "zwischen"),
    (And, "und; oder; sowie"),
    (
        Filler,
        "der; die; das; dem; den; von; in der; im; mit; mit der; für; des; paket; bibliothek; reihe; ist; \
         sind; wird; eine; ein; auf; auf die; unter verwendung von",
    ),
    (To, "zu; zur"),
    (
        Fixed,
        "behoben in; behoben mit; behoben ab; behoben durch; gelöst in; gelöst mit; korrigiert in; behebt; \
         gefixt in; behoben in der; in version behoben; repariert in; beseitigt in; behoben seit",
    ),
    (
        Broken,
        "entfernt in; entfernt mit; funktioniert nicht mehr mit; funktioniert nicht mehr in; \
         funktioniert nicht mehr ab; kaputt seit; eingeführt in; eingeführt mit; wurde entfernt in; \
         veraltet seit; nicht mehr unterstützt ab",
    ),
    (
        Update,
        "aktualisieren; aktualisiere; aktualisierung; aktualisiert; aktualisieren sie; upgraden; umstieg; \
         umstellung; wechsel; hochstufen; anheben",
    ),
    (
        Downgrade,
        "herabstufen; zurückgehen auf; zurückstufen; zurück auf; bleiben auf; festhalten; festpinnen",
    ),
    (
        Works,
        "funktioniert mit; funktioniert in; funktioniert unter; funktionierte mit; funktionierte in; \
         läuft mit; lief mit",
    ),
    (
        Unaffected,
        "nicht betroffen; sind nicht betroffen; ist nicht betroffen",
    ),
    (
        Fails,
        "scheitert; schlägt; fehler; fehlgeschlagen; bricht; abbruch; absturz; stürzt; kompiliert nicht",
    ),
    (Under, "unter"),
    // Spanish
    (
        Prefix(Before),
        "antes de; antes de la; antes del; anterior a; anteriores a; anterior a la; anteriores a la; \
         inferior a; inferiores a; inferior a la; menor que; menores que; más antigua que; \
         más antiguas que; previas a; previa a; previas a la",
    ),
    (
        Prefix(UpTo),
        "hasta; hasta la; hasta el; como máximo; menor o igual que; hasta e incluyendo",
    ),
    (
        Prefix(Since),
        "desde; desde la; a partir de; a partir de la; a partir del; mayor o igual que; mínimo; \
         como mínimo; al menos",
    ),
    (
        Prefix(After),
        "después de; después de la; posterior a; posteriores a; superior a; superiores a; mayor que; \
         mayores que; más reciente que; tras; tras la",
    ),
    (
        Suffix(Since),
        "y posteriores; o posterior; y superiores; o superior; y posterior; o superiores; o posteriores; \
         y siguientes; en adelante; o más reciente; y más recientes; o mayor",
    ),
    (
        Suffix(UpTo),
        "y anteriores; o anterior; y anterior; o inferior; o anteriores; e inferiores; inclusive; incluida; \
         y previas; o menor",
    ),
    (Between, "entre"),
    (And, "y; o; e; así como"),
    (
        Filler,
        "el; los; las; del; de; de la; en; en la; con; con la; paquete; biblioteca; rama; serie; para; es; \
         son; una; un; al",
    ),
    (To, "a la"),
    (
        Fixed,
        "corregido en; corregida en; corregido en la; corregida en la; solucionado en; solucionado en la; \
         resuelto en; resuelto en la; arreglado en; arreglado en la; corrige; corregido por; \
         solucionado con; se corrigió en; se corrigió en la; corregido desde",
    ),
    (
        Broken,
        "eliminado en; eliminada en; eliminado en la; eliminada en la; ya no funciona con; \
         ya no funciona en; dejó de funcionar en; dejó de funcionar con; introducido en; introducido en la; \
         roto desde; obsoleto desde; fue eliminado en; se eliminó en; se eliminó en la; \
         dejó de funcionar desde",
    ),
    (
        Update,
        "actualizar; actualice; actualiza; actualización; actualizado; migrar; migración; pasar; subir; \
         actualizamos",
    ),
    (
        Downgrade,
        "volver a; bajar a; degradar; revertir; regresar a; quedarse en; fijar",
    ),
    (
        Works,
        "funciona con; funciona en; funcionaba con; funcionaba en; funcionó con",
    ),
    (
        Unaffected,
        "no afectadas; no afectada; no están afectadas; no está afectada; no se ven afectadas",
    ),
    (
        Fails,
        "falla; fallan; fallo; errores; rompe; rompen; no compila; excepción; imposible",
    ),
    (Place, "bajo"),
    // Portuguese
    (
        Prefix(Before),
        "antes da; antes do; anterior à; anteriores à; anteriores ao; anterior ao; inferior à; \
         inferiores à; mais antiga que; mais antigas que; menor do que; prévias à",
    ),
    (
        Prefix(UpTo),
        "até; até a; até à; até ao; no máximo; menor ou igual a; até o",
    ),
    (
        Prefix(Since),
        "a partir da; a partir do; desde a; desde o; pelo menos; maior ou igual a; no mínimo",
    ),
    (
        Prefix(After),
        "depois da; depois de; depois do; após; após a; posterior à; posteriores à; superior à; \
         superiores à; maior do que; mais recente que",
    ),
    (
        Suffix(Since),
        "ou superior; e posteriores; ou posterior; e superiores; ou mais recente; e mais recentes; \
         em diante; ou mais nova; ou maior; ou posteriores; e superior",
    ),
    (
        Suffix(UpTo),
        "e anteriores; ou anterior; ou inferior; e inferiores; ou mais antiga; e mais antigas; ou menor; \
         ou anteriores",
    ),
    (And, "ou; bem como; e também"),
    (
        Filler,
        "os; as; da; do; das; dos; na; no; em; com; com a; pacote; biblioteca; ramo; para; é; são; uma; um",
    ),
    (To, "ao; para a; para o"),
    (
        Fixed,
        "corrigido na; corrigida na; corrigido em; corrigida em; corrigido no; resolvido na; resolvido em; \
         resolvido no; solucionado na; solucionado em; foi corrigido na; foi corrigido em; corrigido com; \
         corrige",
    ),
    (
        Broken,
        "removido na; removida na; removido em; removida em; removido no; não funciona mais com; \
         não funciona mais no; não funciona mais na; deixou de funcionar na; deixou de funcionar no; \
         deixou de funcionar em; introduzido na; introduzido em; introduzido no; foi removido na; \
         foi removida na; quebrado desde; obsoleto desde; foi removido em; foi removido no",
    ),
    (
        Update,
        "atualizar; atualize; atualização; atualizado; atualizamos; migração; subir",
    ),
    (
        Downgrade,
        "voltar para; voltar à; rebaixar; reverter; volte para; permanecer na",
    ),
    (
        Works,
        "funciona no; funciona na; funciona em; funcionava com; funcionava no; funcionava na",
    ),
    (
        Unaffected,
        "não afetadas; não afetada; não são afetadas; não é afetada",
    ),
    (
        Fails,
        "falha; falham; erro; erros; quebra; quebram; não compila; exceção; impossível",
    ),
    (Place, "sob"),
    // Russian
    (
        Prefix(Before),
        "до; до версии; ниже; ниже версии; старше чем; раньше; раньше версии; меньше; младше; ранее; \
         ранее версии; старее; предшествующих; до выхода; перед версией",
    ),
    (
        Prefix(UpTo),
        "по; по версию; вплоть до; вплоть до версии; до версии включительно; не выше; не новее; не старше",
    ),
    (
        Prefix(Since),
        "с; с версии; начиная с; начиная с версии; от; от версии; не ниже; не ниже версии; не младше; \
         как минимум; со",
    ),
    (
        Prefix(After),
        "после; после версии; выше; выше версии; новее; больше; новее чем; старше версии",
    ),
    (
        Suffix(Since),
        "и выше; или выше; и новее; или новее; и позднее; или позднее; и старше; и более новых; \
         и более новые; и позже; или позже; и последующих",
    ),
    (
        Suffix(UpTo),
        "и ниже; или ниже; и старее; и ранее; или ранее; и более ранних; и более ранние; включительно; \
         и младше",
    ),
    (Between, "между"),
    (And, "и; или; а также"),
    (
        Filler,
        "в; во; для; пакет; пакета; пакете; библиотека; библиотеки; библиотеке; ветка; ветки; все; всех; у; \
         под управлением",
    ),
    (To, "на; на версию"),
    (
        Fixed,
        "исправлено в; исправлена в; исправлен в; исправлено в версии; исправлена в версии; \
         исправлен в версии; исправлены в; решено в; решено в версии; устранено в; устранено в версии; \
         устранена в версии; устранена в; исправляет; решается обновлением; починили в; починено в; \
         исправили в; исправлено начиная с; устранены в",
    ),
    (
        Broken,
        "удалено в; удалена в; удален в; удалён в; удалено в версии; удалена в версии; удален в версии; \
         удалён в версии; удалили в; больше не работает с; больше не работает в; перестало работать в; \
         перестал работать в; перестала работать в; появилось в; сломано в; сломано с; сломалось в; \
         сломалось с; устарело с; убрали в; убран в",
    ),
    (
        Added,
        "добавлено в; добавлена в; добавлен в; доступно с; доступна с; доступно начиная с",
    ),
    (
        Update,
        "обновить; обновите; обновление; обновления; обновлении; обновлением; обновился; обновились; \
         обновили; обновил; переход; перехода; перейти; миграция",
    ),
    (
        Downgrade,
        "откатить; откатитесь; откатиться; понизить; понизьте; вернуться на; вернуться к; остаться на; \
         закрепить; откат",
    ),
    (
        Works,
        "работает с; работает в; работает на; работало с; работало в; работало на; работал на",
    ),
    (
        Unaffected,
        "не затронуты; не затронута; не подвержены; не подвержена",
    ),
    (
        Fails,
        "падает; ошибка; ошибки; ошибку; ошибкой; сломано; сломалось; не работает; не собирается; \
         исключение; сбой; ломается",
    ),
    (Place, "под; в среде"),
    // All of them
    (
        From,
        "de la version; da versão; de la versión; von version; von der version",
    ),
    (Through, "bis zur version"),
    (
        Requires,
        "benötigt; braucht; erfordert; setzt voraus; nécessite; requiert; exige; requiere; necesita; \
         requer; precisa do; precisa de; требует; требуется; нужен",
    ),
    (
        Unfit,
        "ne fonctionne pas avec; ne fonctionne pas sous; ne fonctionne pas en; ne marche pas avec; \
         ne convient pas à; ne s'applique pas à; funktioniert nicht mit; funktioniert nicht unter; \
         funktioniert nicht in; funktioniert nicht ab; geht nicht mit; gilt nicht für; no funciona con; \
         no funciona en; no sirve para; no es válido para; não funciona com; não funciona com o; \
         não funciona com a; não funciona no; não funciona na; não serve para; не работает с; \
         не работает в; не работает на; не работает под; не подходит для; не годится для",
    ),
    (
        Forbidden,
        "ne pas utiliser avec; ne pas utiliser sous; n'utilisez pas avec; nicht verwenden mit; \
         nicht verwenden ab; nicht verwenden unter; nicht benutzen mit; nicht einsetzen mit; \
         nicht anwenden auf; no usar con; no usar en; no utilizar con; no utilizar en; no lo uses con; \
         não usar com; não usar no; não use com; não use no; não utilizar com; не использовать с; \
         не использовать в; не используйте с; не применять с",
    ),
];
