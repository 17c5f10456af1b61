//! Episodes, which programs beside an agent report for the server's statistics. They hold ids, counts and well-known
//! words, so that there is nothing to sanitize or to confirm, and they are in no outbox.

use recall_kit_shared_types::{
    ToolName,
    episodes::{ReportEpisodeData, ReportEpisodeRequest},
};
use rmcp::model::RequestMetaObject;

use crate::{Error, RecallKitClient, connection::answer};

impl RecallKitClient {
    /// Reports how a failing command came to work again, or did not. The server stores an episode only once, by its id.
    /// A failure is not in the error log: only statistics are lost.
    ///
    /// *Errors*: [`Error::Validation`] with each rejected field; [`Error::ToolMissing`] for a server without episodes;
    /// any error of a failed call.
    pub async fn report_episode(
        &self,
        episode: &ReportEpisodeRequest,
    ) -> Result<ReportEpisodeData, Error> {
        let tool = ToolName::ReportEpisode;
        let answered = self.call(tool, episode, RequestMetaObject::new()).await;
        let result = answered.map_err(|error| self.explained(error, tool))?;
        answer::read(result, &self.target.url)
    }
}
