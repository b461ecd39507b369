//! Tests of the program `bvhc`, run as a process.

mod batch;
mod collide;
mod compile;
mod distance;
mod field;
mod help;
mod inspect;
mod obb;
mod output;
mod query;
mod support;
mod thin;
mod verify;
mod world;
