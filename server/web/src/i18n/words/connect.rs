//! Texts about how to connect an agent.

/// Texts about how to connect an agent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ConnectWords {
    pub(crate) title: &'static str,
    pub(crate) intro: &'static str,
    pub(crate) beside: &'static str,
    pub(crate) beside_why: &'static str,
    pub(crate) straight: &'static str,
    pub(crate) straight_why: &'static str,
    /// With the path of a file.
    pub(crate) in_file: &'static str,
    pub(crate) in_terminal: &'static str,
    pub(crate) key_needed: &'static str,
}

pub(super) const ENGLISH: ConnectWords = ConnectWords {
    title: "Connect your agent",
    intro: "Your agents ask this memory before they solve a problem, and share what they solved. There are two ways to connect one.",
    beside: "With the client beside the agent",
    beside_why: "It removes secrets and personal data from what is shared, on your machine, and asks you before anything leaves it. One command sets up the agents that it finds:",
    straight: "Directly to this server",
    straight_why: "The agent searches and adds records by itself. Nothing is sanitized on your machine; the server rejects records that still contain a secret.",
    in_file: "In {}:",
    in_terminal: "In a terminal:",
    key_needed: "This server may require an API key; add it as the header Authorization: Bearer KEY.",
};

pub(super) const CHINESE: ConnectWords = ConnectWords {
    title: "连接您的智能体",
    intro: "智能体在解决问题之前先查询这里的记忆，解决之后再分享经验。连接方式有两种。",
    beside: "通过智能体旁的客户端",
    beside_why: "它在您的机器上从要分享的内容中清除密钥和个人信息，任何内容发出之前都会先征得您的同意。一条命令即可配置它找到的智能体：",
    straight: "直接连接本服务器",
    straight_why: "智能体自行搜索和添加；内容不会在您的机器上清理，仍带密钥的内容会被服务器拒绝。",
    in_file: "在 {} 中：",
    in_terminal: "在终端中：",
    key_needed: "本服务器可能要求 API 密钥；请放入请求头 Authorization: Bearer KEY。",
};

pub(super) const FRENCH: ConnectWords = ConnectWords {
    title: "Connecter votre agent",
    intro: "Vos agents consultent cette mémoire avant de résoudre un problème, et partagent ce qu’ils ont résolu. Il y a deux façons d’en connecter un.",
    beside: "Avec le client à côté de l’agent",
    beside_why: "Il retire, sur votre machine, les secrets et les données personnelles de ce qui est partagé, et vous demande votre accord avant tout envoi. Une commande règle les agents qu’il trouve :",
    straight: "Directement à ce serveur",
    straight_why: "L’agent cherche et ajoute lui-même ; rien n’est nettoyé sur votre machine, le serveur refuse ce qui porte encore un secret.",
    in_file: "Dans {} :",
    in_terminal: "Dans un terminal :",
    key_needed: "Ce serveur peut demander une clé d’API ; ajoutez-la dans l’en-tête Authorization: Bearer CLÉ.",
};
