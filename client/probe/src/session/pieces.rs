//! Pieces: what a kind measures in one go, and what is remembered of it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Session, Stop};
use crate::report::document::{Disturbance, MediumError};
use crate::report::json::Json;

/// What a finished piece of a kind left behind.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Piece {
    /// What the kind measured, in the kind's own form.
    pub value: Json,
    pub errors: Vec<MediumError>,
    /// Device time from the end of the piece before, or from the start of the kind, to the end of this one.
    pub elapsed_ns: u64,
    /// When it was finished, on the session's clock.
    pub ended_ns: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbance: Option<Disturbance>,
}

/// Remembers finished pieces, so that a run that was cut off goes on where it was.
pub trait Journal {
    /// The piece of this name, if an earlier invocation of the same run finished it.
    fn recall(&mut self, name: &str) -> Option<Piece>;

    /// Writes a finished piece down; it is durable when this returns.
    fn record(&mut self, name: &str, piece: &Piece);
}

/// Remembers nothing: a run that is measured in one go, or a test.
pub struct NullJournal;

impl Journal for NullJournal {
    fn recall(&mut self, _name: &str) -> Option<Piece> {
        None
    }

    fn record(&mut self, _name: &str, _piece: &Piece) {}
}

impl Session<'_> {
    /// Measures a piece of the kind, or takes what an earlier invocation of this run measured of that name.
    ///
    /// `measure` fills what it is handed, and says why it stopped if it did; only what was finished is written down. It
    /// may be called again where the piece was disturbed, and then starts over. Names are unique within the kind, and a
    /// kind that does what the pieces before showed asks for the same pieces again.
    ///
    /// # Panics
    /// When a value can't be written as JSON: the kinds' columns of integers always can.
    pub fn piece<T: Default + Serialize + DeserializeOwned>(
        &mut self,
        name: &str,
        mut measure: impl FnMut(&mut Self, &mut T) -> Result<(), Stop>,
    ) -> (T, Result<(), Stop>) {
        if let Some(piece) = self.journal.recall(name)
            && let Ok(value) = piece.value.to::<T>()
        {
            self.errors.extend(piece.errors);
            self.disturbances.extend(piece.disturbance);
            return (value, Ok(()));
        }
        let errors_before = self.errors.len();
        let (value, end, disturbance) = self.measure_piece(name, &mut measure);
        if end.is_ok() {
            let ended_ns = self.now_ns();
            let piece = Piece {
                value: Json::of(&value).expect("columns of integers always serialise"),
                errors: self.errors[errors_before..].to_vec(),
                elapsed_ns: ended_ns.saturating_sub(self.piece_from_ns),
                ended_ns,
                disturbance,
            };
            self.journal.record(name, &piece);
            self.piece_from_ns = ended_ns;
        }
        (value, end)
    }

    /// As [`Session::piece`], for what is of no use unless it was finished.
    pub fn whole_piece<T: Default + Serialize + DeserializeOwned>(
        &mut self,
        name: &str,
        mut measure: impl FnMut(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let (value, end) = self.piece(name, |session, found| measure(session).map(|value| *found = value));
        end.map(|()| value)
    }
}
