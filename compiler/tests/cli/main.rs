//! The program `bvhc` as its users meet it.

mod collide;
mod compile;
mod distance;
mod help;
mod inspect;
mod obb;
mod output;
mod query;
mod support;
mod verify;
