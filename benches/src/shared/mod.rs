//! Models, queries on them, and the checks before timing. README.md lists the variables of the environment.

pub mod check;
pub mod differences;
pub mod encounters;
pub mod load;
pub mod model;
pub mod peer_times;
pub mod points;
pub mod rays;
pub mod roster;
pub mod shapes;
pub mod stage;
pub mod table;
pub mod vector;
