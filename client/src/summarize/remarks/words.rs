//! Remarks in Chinese and French.

use super::{AiFailure, Remark};
use crate::{SampleError, config::AiSettingsError};

/// Returns a remark in Chinese.
pub(super) fn in_chinese(remark: &Remark) -> String {
    match remark {
        Remark::Extracted => {
            "本摘要未经 AI 撰写，而是从对话中提取（最后的错误、所做的修改、生效的办法），请核对"
                .to_owned()
        }
        Remark::AiFailed(why) => format!("AI 未能撰写本摘要：{}", failure_in_chinese(why)),
        Remark::HostFailed(SampleError::Declined) => "宿主拒绝调用其模型".to_owned(),
        Remark::HostFailed(SampleError::Failed(why)) => format!("宿主的模型未能撰写本摘要：{why}"),
        Remark::UnknownCommand { field, command } => {
            format!("{field} 中的 `{command}` 在对话中没有出现，可能是模型编造的")
        }
        Remark::Cut { shown } => format!(
            "对话很长：模型只看到其中 {shown} %，最重要的部分优先；模型能读更多时请调大 ai.contextWindow"
        ),
        Remark::Skipped(count) => format!("跳过了记录中 {count} 行损坏的内容"),
        Remark::LeftOut(count) => format!("略去了记录中 {count} 段过长的内容"),
        Remark::OthersInFile(count) => {
            format!("文件中还有 {count} 个对话，这里取的是最近更新的一个")
        }
        Remark::NoSolution => "对话没有说明问题是怎么解决的，请在确认前补充".to_owned(),
    }
}

fn failure_in_chinese(why: &AiFailure) -> String {
    match why {
        AiFailure::Settings(why) => match why {
            AiSettingsError::Provider(name) => {
                format!("不认识 ai.provider `{name}`，请设置 ai.baseUrl 为其 OpenAI 兼容地址")
            }
            AiSettingsError::BaseUrl(_) => "ai.baseUrl 无法使用，应形如 https://host/v1".to_owned(),
            AiSettingsError::ClearText => {
                "ai.baseUrl 是另一台机器的 http://，密钥会以明文发送；请使用 https://，\
                 若服务不需要密钥请将 ai.apiKey 设为 \"\""
                    .to_owned()
            }
            AiSettingsError::Key => "AI 的密钥含有无法发送的字符，请检查空格和换行".to_owned(),
        },
        AiFailure::Timeout(after) => {
            format!(
                "{} 毫秒内没有回答；若服务较慢请调大 ai.timeout",
                after.as_millis()
            )
        }
        AiFailure::Unreachable => "无法连接，请检查 ai.baseUrl 和网络".to_owned(),
        AiFailure::Broken => "回答未完整时连接中断".to_owned(),
        AiFailure::Refused { status } => {
            let check = match status {
                401 | 403 => "，请检查 ai.apiKey",
                404 => "，请检查 ai.baseUrl 和 ai.model",
                429 => "：请求过多或额度用尽，请稍后再试",
                500..=599 => "，请稍后再试",
                _ => "，请检查 ai.model",
            };
            format!("服务以状态码 {status} 拒绝{check}")
        }
        AiFailure::TooLong => {
            "对话对模型来说太长，请将 ai.contextWindow 调小到模型所能读的长度".to_owned()
        }
        AiFailure::Foreign => "回答不是 OpenAI 格式，请检查 ai.baseUrl".to_owned(),
        AiFailure::Declined => "模型拒绝回答".to_owned(),
        AiFailure::CutOff => "模型的回答过长，被截断".to_owned(),
        AiFailure::Unusable => "模型的回答不符合要求的格式".to_owned(),
    }
}

/// Returns a remark in French.
pub(super) fn in_french(remark: &Remark) -> String {
    match remark {
        Remark::Extracted => {
            "aucune IA n'a rédigé ceci : c'est extrait de la conversation (dernière erreur, \
             modifications, ce qui a fonctionné) ; relisez-le"
                .to_owned()
        }
        Remark::AiFailed(why) => format!("l'IA n'a pas rédigé ceci : {}", failure_in_french(why)),
        Remark::HostFailed(SampleError::Declined) => {
            "l'hôte a refusé d'interroger son modèle".to_owned()
        }
        Remark::HostFailed(SampleError::Failed(why)) => {
            format!("le modèle de l'hôte n'a pas rédigé ceci : {why}")
        }
        Remark::UnknownCommand { field, command } => format!(
            "`{command}` dans {field} ne figure pas dans la conversation : le modèle l'a peut-être inventé"
        ),
        Remark::Cut { shown } => format!(
            "la conversation est longue : le modèle en a vu {shown} %, l'essentiel d'abord ; augmentez \
             ai.contextWindow s'il peut en lire plus"
        ),
        Remark::Skipped(count) => {
            format!("lignes endommagées de la transcription ignorées : {count}")
        }
        Remark::LeftOut(count) => {
            format!("textes de la transcription laissés de côté car trop longs : {count}")
        }
        Remark::OthersInFile(count) => format!(
            "autres conversations dans le fichier : {count} ; celle-ci est la dernière modifiée"
        ),
        Remark::NoSolution => {
            "la conversation ne dit pas ce qui a résolu le problème : écrivez-le avant \
             de confirmer"
                .to_owned()
        }
    }
}

fn failure_in_french(why: &AiFailure) -> String {
    match why {
        AiFailure::Settings(why) => match why {
            AiSettingsError::Provider(name) => format!(
                "ai.provider `{name}` est inconnu ; indiquez son adresse compatible OpenAI dans ai.baseUrl"
            ),
            AiSettingsError::BaseUrl(_) => {
                "ai.baseUrl est inutilisable ; elle doit ressembler à https://hôte/v1".to_owned()
            }
            AiSettingsError::ClearText => {
                "ai.baseUrl mène par http:// à une autre machine : la clé partirait en clair ; utilisez \
                 https://, ou mettez \"\" dans ai.apiKey si le service n'en demande pas"
                    .to_owned()
            }
            AiSettingsError::Key => {
                "la clé de l'IA a des caractères qui ne peuvent être envoyés ; cherchez-y des espaces et \
                 des sauts de ligne"
                    .to_owned()
            }
        },
        AiFailure::Timeout(after) => format!(
            "pas de réponse en {} ms ; augmentez ai.timeout si elle est lente",
            after.as_millis()
        ),
        AiFailure::Unreachable => "elle est injoignable ; vérifiez ai.baseUrl et le réseau".to_owned(),
        AiFailure::Broken => "la connexion s'est rompue avant la fin de la réponse".to_owned(),
        AiFailure::Refused { status } => {
            let check = match status {
                401 | 403 => " ; vérifiez ai.apiKey",
                404 => " ; vérifiez ai.baseUrl et ai.model",
                429 => " : trop de requêtes, ou compte épuisé ; réessayez plus tard",
                500..=599 => " ; réessayez plus tard",
                _ => " ; vérifiez ai.model",
            };
            format!("elle a refusé avec le statut {status}{check}")
        }
        AiFailure::TooLong => {
            "la conversation est trop longue pour elle ; réduisez ai.contextWindow à ce que le modèle lit"
                .to_owned()
        }
        AiFailure::Foreign => {
            "sa réponse n'est pas du type OpenAI ; vérifiez ai.baseUrl".to_owned()
        }
        AiFailure::Declined => "le modèle a refusé de répondre".to_owned(),
        AiFailure::CutOff => "la réponse du modèle, trop longue, a été coupée".to_owned(),
        AiFailure::Unusable => "la réponse du modèle n'a pas la forme demandée".to_owned(),
    }
}
