//! One LIST request: a whole list or a page of it.

use informer_wire::ResourceVersion;
use tokio::time::{Instant, timeout};

use super::connection::{Arrival, Connection};
use super::driver::Driver;
use super::interruption::Interruption;
use super::recovery::Trouble;
use crate::source::decode_list::{ListDecoder, ListEnd, ListItem};
use crate::source::{ListParams, Verb};

impl Driver {
    /// Reads a page, and gives the version of the list if it was the last one.
    pub(super) async fn list(
        &mut self,
        params: ListParams,
        reuse: bool,
    ) -> Result<ResourceVersion, Interruption> {
        self.reflector.status.edit(|status| status.lists += 1);
        let request = self.reflector.target.request(Verb::List(params));
        let mut connection = Connection::open(&*self.reflector.source, request);
        self.new_keys = 0;
        let limit = self.reflector.settings.list_limit;
        let read = match timeout(limit, self.read_list(&mut connection, reuse)).await {
            Ok(read) => read,
            Err(_) => Err(Trouble::TooLong(limit)),
        };
        let now = Instant::now();
        let end = read.map_err(|trouble| self.cursor.failed(now, trouble, connection.lasted()))?;
        match self.cursor.page(now, &end.version, end.continue_token, self.new_keys > 0) {
            Some(step) => Err(step.into()),
            None => Ok(end.version),
        }
    }

    /// Adds the objects to the snapshot as they come in.
    async fn read_list(&mut self, connection: &mut Connection, reuse: bool) -> Result<ListEnd, Trouble> {
        let known = self.known(reuse);
        let ingest = self.reflector.ingest.clone();
        let silence = self.reflector.settings.list_silence;
        let mut decoder = ListDecoder::new(self.reflector.settings.document_limit);
        loop {
            match timeout(silence, connection.arrival()).await {
                Err(_) => return Err(Trouble::Silent(silence)),
                Ok(Arrival::Answered) => {}
                Ok(Arrival::Failed(error)) => return Err(error.into_trouble()),
                Ok(Arrival::Ended) if decoder.end_of_body() => {}
                Ok(Arrival::Ended) => return Ok(decoder.finish()?),
                Ok(Arrival::Bytes(chunk)) => {
                    self.reflector.status.byte(Instant::now());
                    decoder.push(chunk);
                }
            }
            while let Some(item) = decoder.next(&ingest, &*known) {
                match item? {
                    ListItem::Object(record) => {
                        self.check_scope(record.key());
                        self.put(record);
                    }
                    ListItem::LeftOut { key, message } => self.leave_out_of_list(key, message),
                }
                self.pace().await;
            }
        }
    }
}
